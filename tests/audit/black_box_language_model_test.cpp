// Audits the draw of a masked word: it is not refuted with clipped logits, and is without clipping.
#include <cstdlib>

#include <sotto/attack.hpp>

#include "audit/audit_fixture.hpp"
#include "lm/balanced_law.hpp"
#include "lm/logit_law.hpp"
#include "lm/masked_mechanism.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "support/one_pass_checkpoint.hpp"

namespace sotto::testing {
namespace {

constexpr float kRange = 4;
constexpr float kLoudest = 3 * kRange;  // the largest logit of the model

/// A text of one word. Its logits are the model's answer to the word: high for the word itself, as masked
/// models give when they also see the original.
class MaskedWord final : public Mechanism {
 public:
  MaskedWord(std::uint32_t words, double claimed, lm::LogitBounds bounds, double epsilon)
      : words_(words), claimed_(claimed), law_(make_law(words, bounds, epsilon)) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<MaskedWord>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::vector<float> logits(words_);
    lm::LawMemory memory;
    lm::DrawWeights weights;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (TokenId k = 0; k < words_; ++k)
        logits[k] = k == in[i] ? kLoudest : static_cast<float>((k * 7 + in[i] * 3) % 5);
      EXPECT_TRUE(law_.weigh({logits}, memory, weights));
      out[i] = law_.sample(weights, bits);
    }
  }
  Guarantee guarantee() const override {
    Guarantee guarantee = law_.guarantee();
    guarantee.epsilon = claimed_;
    return guarantee;
  }
  double distance(TokenId a, TokenId b) const override { return a == b ? 0 : 1; }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  static lm::LogitLaw make_law(std::uint32_t words, lm::LogitBounds bounds, double epsilon) {
    std::vector<std::uint32_t> outcomes(words);
    for (std::uint32_t i = 0; i < words; ++i) outcomes[i] = i;
    return lm::LogitLaw::make(bounds, epsilon, std::move(outcomes), {}).value();
  }

  std::uint32_t words_;
  double claimed_;
  lm::LogitLaw law_;
};

/// The balanced law on the same answers. Broken: draws from the raw weights, without the shift that gives
/// them all the same total; their ratios use up ε, and the ratios of the totals come on top.
class BalancedWord final : public Mechanism {
 public:
  BalancedWord(std::uint32_t words, double epsilon, bool broken)
      : words_(words), epsilon_(epsilon), broken_(broken) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<BalancedWord>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i == 0 || in[i] != in[i - 1]) weights = weights_of(in[i]);
      out[i] = lm::DrawLaw::draw_weighted(weights, bits);
    }
  }
  Guarantee guarantee() const override { return law().guarantee(); }
  double distance(TokenId a, TokenId b) const override { return a == b ? 0 : 1; }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  lm::BoundedHead head() const {
    const auto reach = static_cast<float>(epsilon_);
    return {10, 4 / reach, reach, 0.5F * reach, 1, 1};
  }
  lm::BalancedLaw law() const {
    std::vector<std::uint32_t> outcomes(words_);
    for (std::uint32_t i = 0; i < words_; ++i) outcomes[i] = i;
    return lm::BalancedLaw::make(head(), epsilon_, std::move(outcomes), {}).value();
  }
  /// A word with an even id prefers itself alone; the one after it prefers all but that word.
  std::vector<std::uint64_t> weights_of(TokenId word) const {
    std::vector<std::uint64_t> weights(words_);
    std::vector<float> scores(words_);
    for (TokenId k = 0; k < words_; ++k)
      scores[k] = (word % 2 == 0) == (k == word - word % 2) ? 30.0F : -30.0F;
    if (!broken_) {
      EXPECT_TRUE(law().weights(scores, weights));
      return weights;
    }
    for (TokenId k = 0; k < words_; ++k)
      weights[k] = static_cast<std::uint64_t>(
          1e12 * std::exp(epsilon_ / (1 + std::exp(-4 / epsilon_ * static_cast<double>(scores[k])))));
    return weights;
  }

  std::uint32_t words_;
  double epsilon_;
  bool broken_;
};

const std::vector<std::string> kOnePassWords = {"cat",  "cats", "dog", "dogs", "walk", "walks",
                                                "warm", "not",  "is",  "anna", "otto", "rome"};

/// A text of one word through a one-pass model. Broken: as BalancedWord, from the model's scores.
class OnePassWord final : public Mechanism {
 public:
  OnePassWord(const std::filesystem::path& folder, double epsilon, bool broken)
      : mechanism_(
            lm::MaskedMechanism::make(lm::WordFiller::open(folder, {}).value(), {.epsilon = epsilon}, {})
                .value()),
        told_(mechanism_->filler().model().at_reach(epsilon, 1).value()),
        broken_(broken) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<OnePassWord>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i == 0 || in[i] != in[i - 1]) weights = broken_ ? raw_weights(in[i]) : sound_weights(in[i]);
      out[i] = lm::DrawLaw::draw_weighted(weights, bits);
    }
  }
  Guarantee guarantee() const override { return mechanism_->guarantee(); }
  double distance(TokenId a, TokenId b) const override { return a == b ? 0 : 1; }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  /// Those the model cannot say are all the same input.
  static std::string text_of(TokenId word) {
    return word < kOnePassWords.size() ? kOnePassWords[word] : "zaphod";
  }
  std::vector<std::uint64_t> sound_weights(TokenId word) const {
    std::vector<std::uint64_t> weights;
    EXPECT_TRUE(mechanism_->weights_of_word(text_of(word), weights));
    return weights;
  }
  std::vector<std::uint64_t> raw_weights(TokenId word) const {
    lm::Sequence text;
    mechanism_->filler().add_pieces(text_of(word), true, text.ids);
    text.positions.assign(text.ids.size(), 0);
    for (std::size_t i = 0; i < text.ids.size(); ++i) text.pieces.push_back(static_cast<std::int32_t>(i));
    const std::uint32_t place = 0;
    std::vector<float> scores(kOnePassWords.size());
    EXPECT_TRUE(told_->logits({&text, 1}, {&place, 1}, scores));
    const lm::BoundedHead& head = *told_->bounded_head();
    std::vector<std::uint64_t> weights;
    for (const float score : scores)
      weights.push_back(
          static_cast<std::uint64_t>(1e12 * std::exp(head.reach / (1 + std::exp(-head.slope * score)))));
    return weights;
  }

  std::shared_ptr<const lm::MaskedMechanism> mechanism_;
  std::shared_ptr<const lm::MaskedModel> told_;
  bool broken_;
};

// Must run before anything loads the plugin.
const int kPluginIsChosen = ::setenv("SOTTO_PLUGINS", SOTTO_FAKE_PLUGIN, 1);

class BlackBoxLanguageModel : public AuditTest {
 protected:
  std::string masked(const std::string& settings) const {
    EXPECT_EQ(kPluginIsChosen, 0);
    const auto folder = folder_.path() / "masked";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json")
        << R"({"model_type": "bert", "vocab_size": 22, )" << settings << "}";
    std::ofstream(folder / "vocab.txt") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n!\n##a\n##b\n##c\n##"
                                           "d\n##x\nsoup\ncold\nwarm\nthe\nwas\n"
                                           "waiter\ni\ngood\nbad\n";
    return folder.string();
  }
  static BlackBoxOptions masked_audit(const std::string& model, double epsilon, std::uint64_t draws) {
    BlackBoxOptions options = small_audit(draws, 12, 5);
    options.mechanism.name = "dp-mlm";
    options.mechanism.model = model;
    options.mechanism.epsilon = epsilon;
    return options;
  }
};

TEST_F(BlackBoxLanguageModel, ClippedLogitsAreNotRefutedAndFreeOnesAre) {
  const auto model = tiny();
  for (const double epsilon : {1.0, 3.0}) {
    const MaskedWord clipped(model->size(), epsilon, {0, kRange, false}, epsilon);
    const BlackBoxReport right = audit(clipped, *model, small_audit(40'000, 20, 1));
    EXPECT_FALSE(right.refuted()) << epsilon;
    EXPECT_LE(right.epsilon_lower, epsilon);
    // The same temperature T = 2·range/ε without clipping: bounds and ε grow by the same factor.
    const MaskedWord free(model->size(), epsilon, {0, kLoudest, false}, epsilon * kLoudest / kRange);
    const BlackBoxReport wrong = audit(free, *model, small_audit(40'000, 20, 1));
    EXPECT_TRUE(wrong.losses_refute()) << epsilon << " " << wrong.epsilon_lower;
  }
}

TEST_F(BlackBoxLanguageModel, BalancedWeightsAreNotRefutedAndUnbalancedOnesAre) {
  const auto model = tiny();
  for (const double epsilon : {1.0, 3.0}) {
    const BlackBoxReport right =
        audit(BalancedWord(model->size(), epsilon, false), *model, small_audit(40'000, 20, 1));
    EXPECT_FALSE(right.refuted()) << epsilon;
    const BlackBoxReport wrong =
        audit(BalancedWord(model->size(), epsilon, true), *model, small_audit(40'000, 20, 1));
    EXPECT_TRUE(wrong.losses_refute()) << epsilon << " " << wrong.epsilon_lower;
  }
}

TEST_F(BlackBoxLanguageModel, OnePassIsNotRefutedAndWithoutBalanceIs) {
  const auto model = tiny();
  ASSERT_EQ(model->size(), kOnePassWords.size());
  // A text prefers the first word alone or all the others, so the raw weights' totals are far apart.
  OnePassCheckpoint checkpoint(kOnePassWords);
  std::vector<float>& rows = checkpoint.floats["head.words.weight"].values;
  const std::size_t width = rows.size() / kOnePassWords.size();
  for (std::size_t i = width; i < rows.size(); ++i) rows[i] = -rows[i % width];
  checkpoint.floats["head.words.bias"].values.assign(kOnePassWords.size(), 0);
  const auto folder = folder_.path() / "one-pass";
  checkpoint.write(folder);
  for (const double epsilon : {1.0, 2.0, 5.0}) {
    const BlackBoxReport right =
        audit(OnePassWord(folder, epsilon, false), *model, small_audit(40'000, 40, 1));
    EXPECT_FALSE(right.refuted()) << epsilon;
    const BlackBoxReport wrong =
        audit(OnePassWord(folder, epsilon, true), *model, small_audit(40'000, 40, 1));
    EXPECT_TRUE(wrong.losses_refute()) << epsilon << " " << wrong.epsilon_lower;
    std::printf("    ε = %g: at least %.3f, and %.3f without balance\n", epsilon, right.epsilon_lower,
                wrong.epsilon_lower);
    BlackBoxOptions document = masked_audit(folder.string(), epsilon, 200);
    document.path = AuditPath::document;
    const auto through = audit_black_box(document);
    ASSERT_TRUE(through) << through.error().message;
    EXPECT_FALSE(through->refuted());
    EXPECT_TRUE(through->own_claim);
  }
}

TEST_F(BlackBoxLanguageModel, DpMlmIsAuditedThroughItsLawAndThroughDocuments) {
  for (const std::string settings :
       {R"("range": 10)", R"("range": 10, "balanced": true, "law": "balanced")"}) {
    const std::string folder = masked(settings);
    const auto report = audit_black_box(masked_audit(folder, 2, 20'000));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->refuted());
    EXPECT_EQ(report->audited, "dp-mlm");
    EXPECT_EQ(report->model, "masked");
    EXPECT_TRUE(report->own_claim);
    EXPECT_GT(report->epsilon_lower, 0.1);
    BlackBoxOptions document = masked_audit(folder, 2, 400);
    document.path = AuditPath::document;
    const auto through = audit_black_box(document);
    ASSERT_TRUE(through) << through.error().message;
    EXPECT_FALSE(through->refuted());
  }
}

TEST_F(BlackBoxLanguageModel, ExcludedAntonymsAreRefuted) {
  const auto net = folder_.path() / "antonyms";
  std::filesystem::create_directories(net);
  write_tiny_wordnet(net, {{'a', {"good"}, 1}, {'a', {"bad"}, 0}, {'a', {"warm"}, 3}, {'a', {"cold"}, 2}});
  BlackBoxOptions options = masked_audit(masked(R"("range": 10)"), 1, 40'000);
  options.mechanism.parameters = {{"antonyms", "exclude"}, {"wordnet", net.string()}};
  EXPECT_FALSE(audit_black_box(options));  // promises nothing
  options.metric = "pure";
  const auto excluded = audit_black_box(options);
  ASSERT_TRUE(excluded) << excluded.error().message;
  EXPECT_TRUE(excluded->losses_refute());
  options.mechanism.parameters["antonyms"] = "demote";
  const auto demoted = audit_black_box(options);
  ASSERT_TRUE(demoted) << demoted.error().message;
  EXPECT_FALSE(demoted->refuted());
}

TEST_F(BlackBoxLanguageModel, MaskTokenInferenceCountsRightGuesses) {
  MaskInferenceOptions options;
  options.model = masked(R"("range": 10, "favourite": 13)");  // always guesses soup
  const std::vector<std::string> original = {"The soup was cold.", "good soup, 12!", "zaphod", "one two"};
  const std::vector<std::string> privatized = {"The waiter was soup.", "bad soup, 99!", "soup", "three"};
  const auto report = infer_masked_words(original, privatized, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->lines, 4U);
  EXPECT_EQ(report->lines_left_out, 1U);
  EXPECT_EQ(report->places, 7U);
  EXPECT_EQ(report->sayable, 6U);
  EXPECT_EQ(report->changed, 4U);  // soup, cold, good, zaphod
  EXPECT_DOUBLE_EQ(report->success.value, 2.0 / 7);
  EXPECT_DOUBLE_EQ(report->success_changed.value, 1.0 / 4);
  EXPECT_DOUBLE_EQ(report->kept, 3.0 / 7);
  EXPECT_DOUBLE_EQ(report->blind, 2.0 / 7);
  options.candidates = 9;
  EXPECT_DOUBLE_EQ(infer_masked_words(original, privatized, options)->success_among.value, 6.0 / 7);
  EXPECT_FALSE(infer_masked_words(original, {"a"}, options));
}

}  // namespace
}  // namespace sotto::testing
