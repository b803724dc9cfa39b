// What else affects the scores of words: antonyms and the similarity of the text; and measures of texts.
#include <cmath>

#include <gtest/gtest.h>

#include "fake_models.hpp"
#include "lm/masked_mechanism.hpp"
#include "lm/text_scorer.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::expect_error;
using testing::FakeMaskedModel;
using testing::kFirstWord;

const std::vector<std::string> kWords = {"good", "bad", "warm", "cold", "colder", "soup"};

/// Encodes a text as its normalized id counts.
class CountingModel final : public SentenceModel {
 public:
  std::uint32_t dimension() const override { return 32; }
  std::uint32_t max_positions() const override { return 12; }
  Result<void> encode(std::span<const Sequence> sequences, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      longest = std::max(longest, sequences[i].ids.size());
      double squares = 0;
      for (const std::int32_t id : sequences[i].ids) out[i * 32 + static_cast<std::size_t>(id)] += 1;
      for (std::size_t k = 0; k < 32; ++k) squares += out[i * 32 + k] * out[i * 32 + k];
      for (std::size_t k = 0; k < 32; ++k) out[i * 32 + k] /= static_cast<float>(std::sqrt(squares));
    }
    return {};
  }
  mutable std::size_t longest = 0;
};

class DpMlmExtras : public ::testing::Test {
 protected:
  DpMlmExtras() {
    testing::write_tiny_wordnet(
        folder_.path(), {{'a', {"good"}, 1}, {'a', {"bad"}, 0}, {'a', {"warm"}, 3}, {'a', {"cold"}, 2}});
  }

  /// All words score nearly the same.
  static std::shared_ptr<FakeMaskedModel> model() {
    return std::make_shared<FakeMaskedModel>(kFirstWord + static_cast<std::uint32_t>(kWords.size()),
                                             [](const Sequence&, std::uint32_t, std::uint32_t output) {
                                               return 8 + 0.1F * static_cast<float>(output % 3);
                                             });
  }
  static std::shared_ptr<const WordFiller> filler(std::shared_ptr<const MaskedModel> of) {
    return testing::value_or_throw(WordFiller::make(std::move(of), testing::small_tokenizer(kWords), {}));
  }
  std::vector<std::uint64_t> weights(const std::string& word, AntonymPolicy policy,
                                     LawKind law = LawKind::bounded) {
    const auto of = model();
    of->head = BoundedHead{10, 0.4F, 10, 6, 1, 1};
    const auto words = filler(of);
    MaskedExtras extras;
    extras.antonym_policy = policy;
    if (policy != AntonymPolicy::keep)
      extras.antonyms = testing::value_or_throw(AntonymFilter::open(words->words(), folder_.path()));
    mechanism_ =
        testing::value_or_throw(MaskedMechanism::make(words, {.epsilon = 10, .law = law}, {}, extras));
    std::vector<std::uint64_t> out;
    EXPECT_TRUE(mechanism_->weights_of_word(word, out));
    return out;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const MaskedMechanism> mechanism_;
};

TEST_F(DpMlmExtras, AntonymsAreFoundInEveryForm) {
  const auto filter = AntonymFilter::open(kWords, folder_.path()).value();
  EXPECT_EQ(filter->antonyms("Good").value(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(filter->antonyms("warmer").value(), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_TRUE(filter->antonyms("soup").value().empty());
  expect_error(AntonymFilter::open(kWords, folder_.path() / "nowhere"), Errc::not_found, "parameters.wordnet",
               {"index.noun"});
}

TEST_F(DpMlmExtras, AModelDoesNotDrawWhereItsScoresAreChanged) {
  const auto of = model();
  of->head = BoundedHead{10, 0.4F, 10, 6, 1, 1};
  of->draws = true;
  const auto words = filler(of);
  const MaskedOptions options{.epsilon = 10, .law = LawKind::balanced};
  EXPECT_TRUE(MaskedMechanism::make(words, options, {}).value()->drawn_by_model());
  MaskedExtras antonyms;
  antonyms.antonym_policy = AntonymPolicy::demote;
  antonyms.antonyms = AntonymFilter::open(words->words(), folder_.path()).value();
  EXPECT_FALSE(MaskedMechanism::make(words, options, {}, antonyms).value()->drawn_by_model());
  MaskedExtras similarity;
  similarity.similarity = std::make_shared<const ContextSimilarity>(
      SentenceEncoder::make(std::make_shared<CountingModel>(), testing::small_tokenizer(kWords), 0).value(),
      0.003);
  EXPECT_FALSE(MaskedMechanism::make(words, options, {}, similarity).value()->drawn_by_model());
}

TEST_F(DpMlmExtras, DemotedAntonymsHaveTheLeastWeightAndTheGuaranteeStands) {
  for (const LawKind law : {LawKind::bounded, LawKind::balanced}) {
    const auto kept = weights("good", AntonymPolicy::keep, law);
    const auto demoted = weights("good", AntonymPolicy::demote, law);
    EXPECT_EQ(mechanism_->guarantee().kind, GuaranteeKind::analytic);
    EXPECT_LT(demoted[1], kept[1]);
    EXPECT_GT(demoted[1], 0U);
    const auto opposite = weights("bad", AntonymPolicy::demote, law);
    long double total = 0;
    long double total_opposite = 0;
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      total += demoted[i];
      total_opposite += opposite[i];
    }
    for (std::size_t i = 0; i < kWords.size(); ++i)
      EXPECT_LE(std::abs(std::log(static_cast<long double>(demoted[i]) / total) -
                         std::log(static_cast<long double>(opposite[i]) / total_opposite)),
                10);
  }
}

TEST_F(DpMlmExtras, ExcludedAntonymsCannotComeOutAndNothingIsPromised) {
  const auto out = weights("good", AntonymPolicy::exclude);
  EXPECT_EQ(out[1], 0U);
  EXPECT_GT(out[0], 0U);
  EXPECT_EQ(mechanism_->guarantee().kind, GuaranteeKind::none);
  EXPECT_NE(mechanism_->guarantee().statement.find("antonyms=demote"), std::string::npos);
}

TEST_F(DpMlmExtras, SimilarityIsAddedInsideTheBounds) {
  const auto words = filler(model());
  const auto encoder =
      SentenceEncoder::make(std::make_shared<CountingModel>(), testing::small_tokenizer(kWords), 0).value();
  const std::string text = "good soup";
  std::vector<Token> tokens;
  tokenize(text, tokens);
  // [CLS] good soup [SEP] against [CLS] X soup [SEP]: 3/4, 1 for good itself; "soup soup" 4/√(4·6).
  const std::vector<double> cosines = {1, 0.75, 0.75, 0.75, 0.75, 4 / std::sqrt(24.0)};
  for (const double alpha : {0.003, 1.0, 50.0}) {
    const ContextSimilarity similarity(encoder, alpha);
    std::vector<float> logits(kFirstWord + kWords.size(), 0.0F);
    for (std::size_t i = 0; i < kWords.size(); ++i)
      logits[kFirstWord + i] = static_cast<float>(i) * 3 - 2;  // −2 … 13
    std::vector<float> scores = logits;
    ASSERT_TRUE(similarity.apply(*words, text, tokens, 0, LogitBounds{0, 10, false}, logits));
    ASSERT_TRUE(similarity.apply(*words, text, tokens, 0, std::nullopt, scores));
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      const double raw = static_cast<double>(i) * 3 - 2;
      const double expected = 10 * (cosines[i] + 1 + alpha * std::clamp(raw, 0.0, 10.0)) / (2 + 10 * alpha);
      EXPECT_NEAR(logits[kFirstWord + i], expected, 1e-4) << alpha << " " << i;
      EXPECT_GE(logits[kFirstWord + i], 0);
      EXPECT_LE(logits[kFirstWord + i], 10);
      EXPECT_NEAR(scores[kFirstWord + i], raw + cosines[i] / alpha, 1e-3) << alpha << " " << i;
    }
  }
}

TEST_F(DpMlmExtras, LongTextsAreCutInsideTheirFrame) {
  const auto model = std::make_shared<CountingModel>();
  const auto encoder = SentenceEncoder::make(model, testing::small_tokenizer(kWords), 0).value();
  const std::vector<std::string> texts = {
      std::string(200, 'a') + " soup",
      "[SEP] good good good good good good good good good good good good soup"};
  const auto vectors = encoder->encode(texts).value();
  EXPECT_EQ(model->longest, 12U);
  EXPECT_NEAR(vectors[32 + 3], 1 / std::sqrt(1.0 + 1 + 1 + 81),
              0.1);  // one [SEP], though the text spells one
}

/// The log-probability of a token is minus the number of tokens before it.
class CountingCausal final : public CausalModel {
 public:
  std::uint32_t output_size() const override { return 32; }
  std::uint32_t max_positions() const override { return 8; }
  bool answers() const override { return answers_; }
  Result<void> score(std::span<const Sequence> sequences, std::span<float> out) const override {
    float* next = out.data();
    for (const Sequence& sequence : sequences) {
      EXPECT_LE(sequence.ids.size(), 8U);
      for (std::size_t k = 1; k < sequence.ids.size(); ++k) *next++ = -static_cast<float>(k);
    }
    return {};
  }
  Result<std::unique_ptr<Generation>> begin(std::span<const Sequence>, std::span<float>) const override {
    return fail(Errc::invalid_argument, "not here");
  }
  bool answers_ = false;
};

TEST(TextScorer, EveryTokenIsCountedOnceInALongText) {
  const testing::TemporaryFolder folder;
  testing::write_file(folder.path() / "vocab.json", R"({"<|endoftext|>": 0, "a": 1, "b": 2, "Ġ": 3})");
  testing::write_file(folder.path() / "merges.txt", "#version: 0.2\n");
  const auto tokenizer = SubwordTokenizer::open(folder.path()).value();
  const auto model = std::make_shared<CountingCausal>();
  const auto scorer = TextScorer::make(model, tokenizer).value();
  const auto scores = scorer->score(std::vector<std::string>{"ab a", "", std::string(19, 'a')}).value();
  EXPECT_EQ(scores[0].tokens, 4U);
  EXPECT_EQ(scores[0].words, 2U);
  EXPECT_EQ(scores[0].log_probability, -(1 + 2 + 3 + 4));
  EXPECT_EQ(scores[1].tokens, 0U);
  EXPECT_EQ(scores[1].log_probability, 0);
  // Windows of eight ids, four apart: 7 new ones, then 4 at a time, each preceded by four to seven others.
  EXPECT_EQ(scores[2].tokens, 19U);
  EXPECT_EQ(scores[2].log_probability, -(28 + 3 * (4 + 5 + 6 + 7)));
  model->answers_ = true;
  expect_error(TextScorer::make(model, tokenizer), Errc::invalid_argument, {"GPT-2"});
}

}  // namespace
}  // namespace sotto
