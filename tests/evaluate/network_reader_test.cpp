#include "evaluate/classifiers/network_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;
using ::testing::ElementsAre;

lm::Sequence read(const NetworkReader& reader, const std::string& text, const std::string& second = "") {
  lm::Sequence sequence;
  lm::Sequence other;
  reader.read({.text = text, .text_b = second}, sequence, other);
  return sequence;
}

TEST(WordReader, KnownWordsHaveTheirNumbers) {
  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  const auto reader = make_word_reader(model, 4);
  // Unknown words and numbers are ⊥, unknown punctuation is left out, and the excess length is cut.
  EXPECT_THAT(read(*reader, "The DOG, zebra 12!").ids, ElementsAre(0, 6, 12, 12));
  EXPECT_THAT(read(*reader, "dog cat horse paris rome rome").ids, ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(read(*reader, "").ids, ElementsAre(12));
  EXPECT_THAT(read(*reader, "\xFF").ids, ElementsAre(12));
  const std::vector<LabelledText> pairs = {{.text = "dog", .text_b = "rome cat"}};
  const NetworkTexts texts = read_texts(*reader, pairs, true, 1);
  EXPECT_THAT(texts.partners.at(0).ids, ElementsAre(11, 7));
  EXPECT_TRUE(read_texts(*reader, pairs, false, 1).partners.empty());
}

TEST(WordReader, RowsAreTheVectorsTimesOneFactor) {
  const TemporaryFolder folder;
  const VectorModel parts = tiny_model_parts();
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  const std::vector<float> rows = embedding_rows(*model);
  ASSERT_EQ(rows.size(), 13U * 4);
  double power = 0;
  const double factor = static_cast<double>(rows[0]) / parts.vectors[0];
  for (std::size_t i = 0; i < 48; ++i) {
    power += rows[i] * rows[i] / 48.0;
    EXPECT_NEAR(rows[i], factor * parts.vectors[i], 1e-5);
  }
  EXPECT_NEAR(power, kEmbeddingPower, 1e-5);
  for (std::size_t k = 0; k < 4; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < 12; ++i) mean += rows[i * 4 + k] / 12.0;
    EXPECT_NEAR(rows[48 + k], mean, 1e-5);
  }
}

// In data/tiny-bert, [CLS] is 2 and [SEP] is 3.
class TemplateReader : public ::testing::Test {
 protected:
  std::unique_ptr<const NetworkReader> reader(std::size_t most, bool pairs, std::uint32_t segments = 2) {
    return make_subword_reader(std::filesystem::path(SOTTO_TEST_DATA) / "tiny-bert", {500, 32, segments, 1},
                               most, pairs)
        .value();
  }
  std::int32_t letter(const char* text) { return read(*reader(32, false), text).ids.at(1); }
};

TEST_F(TemplateReader, SingleTextsAreCutInside) {
  const std::int32_t a = letter("a");
  EXPECT_THAT(read(*reader(32, false), "a a a").ids, ElementsAre(2, a, a, a, 3));
  EXPECT_THAT(read(*reader(4, false), "a a a").ids, ElementsAre(2, a, a, 3));
  EXPECT_THAT(read(*reader(32, false), "").ids, ElementsAre(2, 3));
  EXPECT_TRUE(read(*reader(32, false), "a").segments.empty());
  // Never more than the network has positions.
  EXPECT_EQ(read(*reader(4000, false), std::string(200, '!')).ids.size(), 32U);
}

TEST_F(TemplateReader, OfPairsTheLongerIsCut) {
  const std::int32_t a = letter("a");
  const std::int32_t b = letter("b");
  const lm::Sequence whole = read(*reader(32, true), "a a a", "b b");
  EXPECT_THAT(whole.ids, ElementsAre(2, a, a, a, 3, b, b, 3));
  EXPECT_THAT(whole.segments, ElementsAre(0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(read(*reader(7, true), "a a a a a", "b").ids, ElementsAre(2, a, a, a, 3, b, 3));
  EXPECT_THAT(read(*reader(7, true), "a", "b b b b b").ids, ElementsAre(2, a, 3, b, b, b, 3));
  EXPECT_THAT(read(*reader(7, true), "a a a a", "b b b b").segments, ElementsAre(0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(read(*reader(7, true), "a", "").ids, ElementsAre(2, a, 3, 3));
  EXPECT_TRUE(read(*reader(32, true, 1), "a", "b").segments.empty());
}

TEST_F(TemplateReader, ATextCannotForgeTheModelsTokens) {
  const std::vector<std::int32_t> ids = read(*reader(32, false), "a [SEP] a").ids;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 3), 1);
}

TEST(SlotReader, PiecesShareTheirWordsPosition) {
  const std::filesystem::path folder = std::filesystem::path(SOTTO_SHIPPED_MODELS) / "sotto-en-mlm";
  const lm::NetworkLimits limits{20000, 128, 2, 8};
  const auto single = make_subword_reader(folder, limits, 3, false).value();
  const lm::Sequence text = read(*single, "Good xyzzyqwv, good good");
  // A word, a word of several pieces, a comma; the rest is cut.
  ASSERT_GE(text.ids.size(), 4U);
  EXPECT_EQ(text.positions.front(), 0);
  EXPECT_EQ(text.positions.back(), 2);
  EXPECT_THAT(text.segments, ::testing::Each(1));
  EXPECT_EQ(text.pieces[1], 0);
  EXPECT_EQ(text.pieces[2], 1);
  const auto pairs = make_subword_reader(folder, limits, 128, true).value();
  const lm::Sequence both = read(*pairs, "good", "good good");
  EXPECT_THAT(both.ids, ElementsAre(text.ids[0], text.ids[0], text.ids[0]));
  EXPECT_THAT(both.positions, ElementsAre(0, 0, 1));
  EXPECT_THAT(both.segments, ElementsAre(0, 1, 1));
  EXPECT_THAT(read(*single, "").ids, ElementsAre(1));
}

}  // namespace
}  // namespace sotto::testing
