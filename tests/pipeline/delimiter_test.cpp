#include "pipeline/records/delimiter.hpp"

#include <gtest/gtest.h>

#include <sotto/privatize.hpp>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;
using Names = std::vector<std::string>;

TEST(Delimiter, IsWhatGivesTheNamedColumns) {
  struct Case {
    std::string header;
    Names names;
    char delimiter;
  };
  const std::vector<Case> cases = {
      {"id,text\n", {"text"}, ','},
      {"id;text\n", {"text"}, ';'},
      {"id\ttext\n", {"text"}, '\t'},
      {"id|text\n", {"text"}, '|'},
      {"text\n", {"text"}, ','},
      {"a,b;text\n", {"text"}, ';'},
      {"a;b,text\n", {"text"}, ','},
      {"a;b,text\n", {"text", "a"}, ','},  // none has both
      {"\"a;b\",text\n", {"a;b", "text"}, ','},
      {"\"a,b\";text\n", {"a,b"}, ';'},
      {"\"a\nb\";text\n", {"text"}, ';'},
      {"a;b;c\n", {"text"}, ';'},
      {"a,b;c\n", {"text"}, ','},
      {"", {"text"}, ','},
      {"text,\"city\nsecret,Bonn\n", {"text"}, ','},
  };
  for (const Case& each : cases)
    EXPECT_EQ(delimiter_of_header(each.header, true, each.names), each.delimiter) << each.header;
}

// Otherwise it would depend on the size of a pipe.
TEST(Delimiter, WaitsUntilTheHeaderIsWholeUnderEachDelimiter) {
  EXPECT_EQ(delimiter_of_header("id;te", false, {"text"}), std::nullopt);
  EXPECT_EQ(delimiter_of_header("a;\"b\n", false, {"text"}), std::nullopt);
  EXPECT_EQ(delimiter_of_header("a;\"b\nc\";text\n", false, {"text"}), ';');
}

TEST(Delimiter, OfRecordsIsTheOnlyOneThatFits) {
  struct Case {
    std::string sample;
    std::size_t columns;
    char delimiter;
  };
  for (const Case& each : std::vector<Case>{
           {"1,a\n2,b\n", 2, ','},
           {"1;a, b\n2;c\n", 2, ';'},
           {"1\ta b\n2\tc\n", 2, '\t'},
           {"1;\"a, b\"\n", 2, ';'},
           {"1,\"a; b\"\n", 2, ','},
           {"a b\nc\n", 1, ','},
           {"", 3, ','},
           {"\n\n", 3, ','},
           {"1,a\n", 3, ','},  // whoever looks for column 3 will notice
       })
    EXPECT_EQ(delimiter_of_records(each.sample, true, each.columns, "in.csv"), each.delimiter) << each.sample;
  const auto at_a_loss = [](const std::string& sample, std::size_t columns, const std::string& part) {
    expect_error(delimiter_of_records(sample, true, columns, "in.csv"), Errc::invalid_argument, "delimiter",
                 {"missing", part});
  };
  at_a_loss("1;a, b\n", 2, "by ',' or by ';'");
  at_a_loss("a; b\n", 1, "by ',' or by ';'");
  at_a_loss("1,2;3\n4,5;6\n", 2, "by ',' or by ';'");
  at_a_loss("1,2\n3\n4;5;6\n", 2, "same number of columns");
  at_a_loss("1,\"a\n2,b\n", 2, "same number of columns");
}

TEST(Delimiter, IsOneHarmlessCharacter) {
  for (const char good : {',', ';', '|', '\t', ' ', ':', '^', '~', '\\', '\''})
    EXPECT_EQ(parse_delimiter(std::string(1, good)), good);
  EXPECT_EQ(parse_delimiter("tab"), '\t');
  EXPECT_EQ(parse_delimiter("\\t"), '\t');
  for (const std::string bad : {"", "t", "T", "7", "\"", "é", ";;", "\x7f", "TAB", "\\n"})
    expect_error(parse_delimiter(bad), Errc::invalid_argument, "delimiter", {"is not allowed"});
  EXPECT_FALSE(parse_delimiter("\n"));
  EXPECT_FALSE(parse_delimiter("\r"));
  EXPECT_FALSE(parse_delimiter(std::string(1, '\0')));
}

}  // namespace
}  // namespace sotto
