// Paper "TEM: High Utility Metric Differential Privacy on Text", Algorithm 1. The words within γ of the input
// have the score −d, and one element ⊥ represents the others with the score −γ + (2/ε)·ln(their number);
// Gumbel noise of scale 2/ε is added, the highest score wins, and ⊥ is replaced with a uniformly drawn word
// beyond γ. The highest of scores with Gumbel noise follows the exponential mechanism, so the algorithm has
// the closed form P(y|x) ∝ exp(−½ε·min(d(x,y), γ)), which is sampled here.
//
// Errors in the published code that are avoided here: the score of ⊥ uses ln(|W|/|L|) instead of ln|W∖L|,
// which breaks the guarantee several times over; it raises an error if no word is beyond γ; it overwrites the
// given γ; and it assumes a fixed vocabulary size.
#include "mechanisms/selection/tem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/selection/selection.hpp"
#include "mechanisms/truncation.hpp"

namespace sotto::mechanism {
namespace {

class Tem final : public SelectionMechanism {
 public:
  Tem(std::unique_ptr<Selection> selection, double epsilon, double gamma)
      : SelectionMechanism(std::move(selection)), epsilon_(epsilon), gamma_(gamma) {}

  Guarantee guarantee() const override {
    return {
        .kind = GuaranteeKind::analytic,
        .unit = {fmt::format("Euclidean distance of the vectors, at most {}", gamma_),
                 selection().model().digest()},
        .scope = GuaranteeScope::all_inputs,
        .epsilon = epsilon_,
        .rho = selection_rho(selection(), epsilon_),
        .assumptions = selection_assumptions(),
        .statement = fmt::format(
            "For any two words, and words outside the vocabulary, the probabilities of each output differ "
            "at most by the factor exp({} d), d the Euclidean distance of their vectors or {}, whichever "
            "is less.",
            epsilon_, readable_metric(fmt::format("{}", gamma_)))};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    return visitor.visit(MetricRows{selection(), gamma_});
  }

  double distance(TokenId a, TokenId b) const override {
    return std::min(selection().distance(a, b), gamma_);
  }

 private:
  double epsilon_;
  double gamma_;
};

}  // namespace

MechanismInfo tem_info() {
  return {
      .name = "tem",
      .summary =
          "selects any word of the vocabulary, nearer ones with higher probability; those further than gamma "
          "are equally likely",
      .metric = "Euclidean distance of the vectors, truncated at gamma",
      .guarantee = "analytic: epsilon times the Euclidean distance of the vectors, at most gamma",
      .speed = "fast: millions of words per second once the rows of frequent words are prepared",
      .use_when = "you want the promise to be bounded however far two words lie apart",
      .default_model = "sotto-en-wordnet",
      .parameters = {{"gamma", "auto",
                      "the distance from which words count as equally far, from 0 to 1e12; auto: "
                      "(2/epsilon) ln((1-beta)(n-1)/beta) for n words",
                      ParameterKind::numbers},
                     {"beta", "0.001",
                      "with gamma=auto: about the probability of all far words together, relative to the "
                      "word itself; from 1e-12 to 0.5"},
                     selection_parameter()}};
}

Result<MechanismFamily> prepare_tem(const MechanismRequest& request) {
  SOTTO_ASSIGN(const Truncation truncation, Truncation::parse(request));
  SOTTO_ASSIGN(auto space, SelectionSpace::make(request, request.parameters.at("selection")));
  const std::uint64_t bytes = space->bytes_each();
  return MechanismFamily{[space = std::move(space), truncation](double epsilon) {
                           const double gamma = truncation.at(epsilon);
                           return std::make_unique<Tem>(std::make_unique<Selection>(space, epsilon, gamma),
                                                        epsilon, gamma);
                         },
                         bytes};
}

}  // namespace sotto::mechanism
