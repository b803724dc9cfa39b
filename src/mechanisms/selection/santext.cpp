// Paper "Differential Privacy for Text Analytics via Natural Text Sanitization", Algorithm 1 (SanText):
// P(y|x) ∝ exp(−½ε·d(x,y)) over all words. With selection=permute-and-flip the same scores go through the
// mechanism of paper "Permute-and-Flip: A new mechanism for differentially private selection".
//
// The usual inversion of a floating-point distribution function makes words with ½ε·d above 36.7 impossible;
// here every word has an integer weight and is possible. A word outside the vocabulary also goes through the
// mechanism, as ⊥.
#include "mechanisms/selection/santext.hpp"

#include <fmt/format.h>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/selection/selection.hpp"

namespace sotto::mechanism {
namespace {

class SanText final : public SelectionMechanism {
 public:
  SanText(std::unique_ptr<Selection> selection, double epsilon)
      : SelectionMechanism(std::move(selection)), epsilon_(epsilon) {}

  Guarantee guarantee() const override {
    return {
        .kind = GuaranteeKind::analytic,
        .unit = {"Euclidean distance of the vectors", selection().model().digest()},
        .scope = GuaranteeScope::all_inputs,
        .epsilon = epsilon_,
        .rho = selection_rho(selection(), epsilon_),
        .assumptions = selection_assumptions(),
        .statement = fmt::format(
            "For any two words, and words outside the vocabulary, the probabilities of each output differ "
            "at most by the factor exp({} d), d the Euclidean distance of their vectors.",
            epsilon_)};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    return visitor.visit(MetricRows{selection(), std::numeric_limits<double>::infinity()});
  }

  double distance(TokenId a, TokenId b) const override { return selection().distance(a, b); }

 private:
  double epsilon_;
};

}  // namespace

MechanismInfo santext_info() {
  return {.name = "santext",
          .summary = "selects any word of the vocabulary, nearer ones with higher probability",
          .metric = "Euclidean distance of the vectors",
          .guarantee = "analytic: epsilon times the Euclidean distance of the vectors",
          .speed = "fast: millions of words per second once the rows of frequent words are prepared",
          .use_when = "you want a closed-form distribution over the whole vocabulary",
          .default_model = "sotto-en-wordnet",
          .parameters = {selection_parameter()}};
}

Result<MechanismFamily> prepare_santext(const MechanismRequest& request) {
  SOTTO_ASSIGN(auto space, SelectionSpace::make(request, request.parameters.at("selection")));
  const std::uint64_t bytes = space->bytes_each();
  return MechanismFamily{[space = std::move(space)](double epsilon) {
                           return std::make_unique<SanText>(std::make_unique<Selection>(space, epsilon),
                                                            epsilon);
                         },
                         bytes};
}

}  // namespace sotto::mechanism
