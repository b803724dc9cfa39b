#include "cli/error_line.hpp"

#include <gtest/gtest.h>

#include "base/checked_value.hpp"
#include "cli/shell_words.hpp"

namespace sotto::cli {
namespace {

TEST(OptionName, IsTheParametersNameUnlessTheTableSaysOtherwise) {
  EXPECT_EQ(option_name("epsilon"), "--epsilon");
  EXPECT_EQ(option_name("max_document_bytes"), "--max-document-bytes");
  EXPECT_EQ(option_name("output"), "-o");
  EXPECT_EQ(option_name("class_files"), "--class");
  EXPECT_EQ(option_name("parameters"), "--set");
  EXPECT_EQ(option_name("parameters.exclude_input"), "--set exclude_input") << "a mechanism's name stays";
  EXPECT_EQ(option_name("public_text"), "PUBLIC-TEXT");
}

TEST(CommandLine, CanBeTyped) {
  EXPECT_EQ(command_line({"lm calibrate", {}}), "sotto lm calibrate");
  EXPECT_EQ(command_line({"lm calibrate", {{"model", "my/model"}, {"public_text", ""}}}),
            "sotto lm calibrate --model my/model PUBLIC-TEXT");
  EXPECT_EQ(command_line({"audit", {{"target", "certified"}, {"epsilon", "1"}, {"parameters.k", "2"}}}),
            "sotto audit --target certified --epsilon 1 --set k=2");
  EXPECT_EQ(command_line({"model import", {{"vectors", ""}, {"output", ""}}}),
            "sotto model import VECTORS -o OUTPUT");
  EXPECT_EQ(command_line({"model info", {{"model", "my $model \"`\\.safetensors"}}}),
            "sotto model info --model \"my \\$model \\\"\\`\\\\.safetensors\"")
      << "a shell reads the name as it is";
}

TEST(ShellLine, QuotesOnlyWhereNeeded) {
  const std::vector<std::string> words = {"sotto",    "privatize", "my file.txt", "--set",
                                          "lists=L1", "",          "it's"};
  EXPECT_EQ(shell_line(words), "sotto privatize \"my file.txt\" --set lists=L1 \"\" \"it's\"");
}

TEST(ErrorLine, NamesOptions) {
  const Error refused = base::not_allowed("document_epsilon", 0, "a number above 0").value();
  EXPECT_EQ(error_line(refused), "--document-epsilon: '0' is not allowed; give a number above 0");
  const Error both =
      fail_parameter("seed", "", base::format_message("cannot be given together with {{key_file}}")).value();
  EXPECT_EQ(error_line(both), "--seed: cannot be given together with --key-file");
  const Error without = fail(Errc::not_found, base::format_message("'{}' has no lists; run '{{0}}'", "glove"),
                             {{"lists build", {{"model", "glove"}}}})
                            .value();
  EXPECT_EQ(error_line(without), "'glove' has no lists; run 'sotto lists build --model glove'");
}

TEST(ErrorLine, LeavesWhatUsersWroteAsItIs) {
  for (const std::string name : {"{epsilon}.txt", "{0}", "{{epsilon}}", "{", "}", "}{", "{}", "a{{b}c}}"}) {
    const Error plain = fail(Errc::not_found, "cannot open " + name).value();
    EXPECT_EQ(error_line(plain), "cannot open " + name);
    const Error refused = base::not_allowed("field", name, "another").value();
    EXPECT_EQ(error_line(refused), "--field: '" + name + "' is not allowed; give another");
    const Error hinted =
        fail(Errc::io, base::format_message("{}: see '{{0}}'", name), {{"model info", {{"model", name}}}})
            .value();
    EXPECT_EQ(error_line(hinted), name + ": see 'sotto model info --model \"" + name + "\"'");
  }
}

}  // namespace
}  // namespace sotto::cli
