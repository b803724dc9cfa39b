// What belongs to the configuration of a mechanism with a language model.
#include <set>

#include "pipeline/language_model_fixture.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using testing::LanguageModels;

TEST_F(LanguageModels, EverySettingDecidesTheNoise) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the soup was cold ";
  const std::string base = rewrite(text, mlm(5));
  EXPECT_EQ(rewrite(text, mlm(5)), base);
  PrivatizeOptions other = mlm(5);
  other.language.precision = Precision::int8;
  EXPECT_NE(rewrite(text, other), base);
  other = mlm(5);
  other.mechanism.parameters["context"] = "none";
  EXPECT_NE(rewrite(text, other), base);
}

// Other kernels round to other words: the same noise for both would be two releases for the price of one.
TEST_F(LanguageModels, AnotherProcessorIsAnotherStream) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the soup was cold ";
  make_causal("causal", "gpt2");
  write("public.txt", "abc de\nbad cab\n");
  ASSERT_TRUE(calibrate_language_model(path("causal").string(), path("public.txt")));
  PrivatizeOptions paraphrase = mlm(10, "causal");
  paraphrase.mechanism.name = "dp-paraphrase";
  for (const PrivatizeOptions& options : {mlm(5), paraphrase}) {
    const std::string base = configuration(options);
    const std::string out = rewrite(text, options);
    EXPECT_EQ(configuration(options), base);
    ::setenv("ATEN_CPU_CAPABILITY", "default", 1);
    EXPECT_NE(configuration(options), base);
    EXPECT_NE(rewrite(text, options), out);
    ::unsetenv("ATEN_CPU_CAPABILITY");
    EXPECT_EQ(rewrite(text, options), out);
  }
}

TEST_F(LanguageModels, TheModelsFilesBelongToTheConfiguration) {
  const std::string base = configuration(mlm(5));
  write("masked/readme.md", "no part of the model");
  EXPECT_EQ(configuration(mlm(5)), base);
  write("masked/tokenizer_config.json", "{}");
  EXPECT_NE(configuration(mlm(5)), base);
}

TEST_F(LanguageModels, TheEncodersFilesBelongToTheConfiguration) {
  make_masked("encoder", R"("range": 10)");
  PrivatizeOptions weighed = mlm(5);
  weighed.mechanism.parameters = {{"alpha", "0.003"}, {"encoder", path("encoder").string()}};
  const std::string plain = configuration(mlm(5));
  std::set<std::string> seen = {configuration(weighed)};
  EXPECT_EQ(configuration(weighed), *seen.begin());
  write("encoder/model.safetensors", "weights");
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  write("encoder/model.safetensors", "others!");
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  std::filesystem::create_directory(path("encoder/1_Pooling"));
  write("encoder/1_Pooling/config.json", "{}");  // where sentence encoders say how they pool
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  EXPECT_EQ(configuration(mlm(5)), plain);  // does not read them
}

TEST_F(LanguageModels, WordNetsFilesBelongToTheConfiguration) {
  const std::vector<testing::TinySynset> synsets = {{'a', {"cold"}, 1}, {'a', {"warm"}, 0}};
  std::filesystem::create_directory(path("wordnet"));
  testing::write_tiny_wordnet(path("wordnet"), synsets);
  PrivatizeOptions demoting = mlm(5);
  demoting.mechanism.parameters = {{"antonyms", "demote"}, {"wordnet", path("wordnet").string()}};
  const std::string base = configuration(demoting);
  EXPECT_EQ(configuration(demoting), base);
  testing::write_tiny_wordnet(path("wordnet"), synsets, {{'a', "colder cold\n"}});
  EXPECT_NE(configuration(demoting), base);
}

}  // namespace
}  // namespace sotto
