#include "lm/calibration.hpp"

#include <set>

#include <gtest/gtest.h>

#include "fake_models.hpp"
#include "lm/language_folder.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::expect_error;
using testing::FakeMaskedModel;
using testing::kFirstWord;

TEST(Calibration, IsMeanAndFourDeviationsOverTheWords) {
  const std::vector<std::string> words = {"the", "cat", "sat"};
  // Words have the logits 1, 2, 3; parts of words, which cannot be output, do not count.
  const auto model = std::make_shared<FakeMaskedModel>(
      kFirstWord + words.size(), [](const Sequence&, std::uint32_t, std::uint32_t output) {
        return output < kFirstWord ? 1000.0F : static_cast<float>(output - kFirstWord + 1);
      });
  const auto filler = WordFiller::make(model, testing::small_tokenizer(words), {}).value();
  const std::vector<std::string> texts = {"the cat", "sat sat sat", "the"};
  const Calibration calibration = calibrate(*filler, texts).value();
  const double deviation = std::sqrt(2.0 / 3);
  EXPECT_NEAR(calibration.mean, 2, 1e-12);
  EXPECT_NEAR(calibration.deviation, deviation, 1e-12);
  EXPECT_NEAR(calibration.bounds.lowest, 2, 1e-6);
  EXPECT_NEAR(calibration.bounds.highest, 2 + 4 * deviation, 1e-6);
  EXPECT_FALSE(calibration.bounds.by_architecture);
  EXPECT_EQ(calibration.texts, 3U);
  EXPECT_EQ(calibration.logits, 9U);
  expect_error(calibrate(*filler, {}), Errc::bad_format, {"no line with a word"});
}

TEST(Calibration, ChoosesAThousandLinesWithWords) {
  EXPECT_EQ(choose_texts("one\n\n12 34\ntwo\n..."), (std::vector<std::string>{"one", "two"}));
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::string(1 + static_cast<std::size_t>(i) / 500, 'w') + "\n";
  const std::vector<std::string> chosen = choose_texts(text);
  EXPECT_EQ(chosen.size(), 1000U);
  EXPECT_EQ(chosen, choose_texts(text));
  for (std::size_t length = 1; length <= 10; ++length) {
    const auto count = std::count_if(chosen.begin(), chosen.end(),
                                     [&](const std::string& line) { return line.size() == length; });
    EXPECT_GT(count, 50) << length;  // 100 on average; below 50 it would not be uniform
  }
}

TEST(Calibration, IsKeptBesideTheModelItIsAbout) {
  const testing::TemporaryFolder folder;
  testing::write_file(folder.path() / "config.json", "{}");
  const std::string digest = folder_digest(folder.path()).value();
  EXPECT_FALSE(read_calibration(folder.path(), digest).value());
  Calibration calibration;
  calibration.bounds = {-1.5F, 3.25F, false};
  calibration.model_digest = digest;
  calibration.text_digest = "abc";
  ASSERT_TRUE(store_calibration(folder.path(), calibration));
  EXPECT_EQ(folder_digest(folder.path()).value(), digest);
  const auto found = read_calibration(folder.path(), digest).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bounds.lowest, -1.5F);
  EXPECT_EQ(found->bounds.highest, 3.25F);
  EXPECT_EQ(found->text_digest, "abc");
  testing::write_file(folder.path() / "vocab.txt", "more");
  const std::string other = folder_digest(folder.path()).value();
  EXPECT_NE(other, digest);
  expect_error(read_calibration(folder.path(), other), Errc::bad_format,
               {"other files", "'lm calibrate (model: "});
  testing::write_file(folder.path() / kCalibrationFile, "{\"lowest\": 1");
  expect_error(read_calibration(folder.path(), other), Errc::bad_format, {"not a calibration"});
  testing::write_file(folder.path() / kCalibrationFile, "{\"lowest\": \"x\"}");
  expect_error(read_calibration(folder.path(), other), Errc::bad_format, {"missing"});
}

TEST(LanguageFolder, EveryFileOfTheModelIsInItsDigest) {
  const testing::TemporaryFolder folder;
  testing::write_file(folder.path() / "config.json", "{}");
  std::filesystem::create_directories(folder.path() / "0_Transformer" / "deeper");
  std::set<std::string> digests = {folder_digest(folder.path()).value()};
  for (const char* const file : {"model.safetensors", "vocab.txt", "spiece.model", "vocab.bpe",
                                 "0_Transformer/model.safetensors", "0_Transformer/config.json"}) {
    testing::write_file(folder.path() / file, "a");
    EXPECT_TRUE(digests.insert(folder_digest(folder.path()).value()).second) << file;
    testing::write_file(folder.path() / file, "b");
    EXPECT_TRUE(digests.insert(folder_digest(folder.path()).value()).second) << file;
  }
  for (const char* const file : {"README.md", "pytorch_model.bin", "0_Transformer/deeper/config.json"}) {
    testing::write_file(folder.path() / file, "a");
    EXPECT_FALSE(digests.insert(folder_digest(folder.path()).value()).second) << file;
  }
}

TEST(LanguageFolder, SaysWhatIsMissing) {
  const testing::TemporaryFolder folder;
  expect_error(folder_digest(folder.path() / "none"), Errc::not_found, {"no such folder"});
  expect_error(folder_digest(folder.path()), Errc::not_found, {"config.json"});
}

}  // namespace
}  // namespace sotto
