// The draw of a masked word before the auditor: with clipped logits it is not refuted, without clipping it
// is.
#include "audit/audit_fixture.hpp"
#include "lm/logit_law.hpp"
#include "mechanisms/immediate.hpp"

namespace sotto::testing {
namespace {

constexpr float kRange = 4;
constexpr float kLoudest = 3 * kRange;  // what the model's logits reach

/// The place of a word in a text of one word. Its logits are the model's answer to the word: loud for the
/// word itself, as those of masked models with the original beside them are.
class MaskedWord final : public Mechanism {
 public:
  MaskedWord(std::uint32_t words, double claimed, LogitBounds bounds, double epsilon)
      : words_(words), claimed_(claimed), law_(make_law(words, bounds, epsilon)) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<ImmediateTokens<MaskedWord>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::vector<float> logits(words_);
    std::vector<std::uint64_t> scratch;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (TokenId k = 0; k < words_; ++k)
        logits[k] = k == in[i] ? kLoudest : static_cast<float>((k * 7 + in[i] * 3) % 5);
      out[i] = law_.draw(logits, bits, scratch).value();
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
  static LogitLaw make_law(std::uint32_t words, LogitBounds bounds, double epsilon) {
    std::vector<std::uint32_t> outcomes(words);
    for (std::uint32_t i = 0; i < words; ++i) outcomes[i] = i;
    return LogitLaw::make(bounds, epsilon, std::move(outcomes), {}).value();
  }

  std::uint32_t words_;
  double claimed_;
  LogitLaw law_;
};

class BlackBoxLanguageModel : public AuditTest {};

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

}  // namespace
}  // namespace sotto::testing
