// Paper "On a Utilitarian Approach to Privacy Preserving Text Generation", Algorithm 1: noise as in `cmp`,
// then the nearest word with probability p = (1 − t)·d₂ / (t·d₁ + (1 − t)·d₂), otherwise the second nearest.
// The paper names no single t (its experiments use 0.25 to 1); 0.5 is that of the comparative analysis.
//
// Errors in the paper and the published code that are avoided here: both words are searched among all words
// except the input, so that P(w → w) = 0 while P(w′ → w) > 0 and the theorem fails (its proof, over cells of
// the whole vocabulary, is correct for the choice among all words); squared distances are used as distances.
#include "mechanisms/noise/vickrey.hpp"

#include "base/checked_value.hpp"
#include "mechanisms/noise/vickrey_base.hpp"

namespace sotto::mechanism {
namespace {

class Vickrey final : public VickreyMechanism {
 public:
  Vickrey(std::shared_ptr<const NoiseSpace> space, double epsilon, double t, bool exclude_input)
      : VickreyMechanism(std::move(space), epsilon, 2, exclude_input), t_(t) {}

 protected:
  std::size_t choose_rank(std::span<const double> distances, double coin) const override {
    if (distances.size() < 2) return 0;
    const double second = (1 - t_) * distances[1];
    const double sum = t_ * distances[0] + second;
    // Both distances may be zero; 1 − t is the limit along equal distances.
    const double p = sum > 0 ? second / sum : 1 - t_;
    return coin < p ? 0 : 1;
  }

 private:
  double t_;
};

}  // namespace

MechanismInfo vickrey_info() {
  return {.name = "vickrey",
          .summary = "adds noise to a word's vector and takes the nearest or the second nearest word",
          .metric = "Euclidean distance of the vectors",
          .guarantee =
              "analytic: epsilon times the Euclidean distance, assuming real-valued noise; none with "
              "exclude_input=true",
          .speed = "tens of thousands of words per second",
          .use_when = "words should change more often than with cmp at the same epsilon",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"t", "0.5", "preference for the second nearest word: a number from 0 (cmp) to 1"},
                         exclude_input_parameter()}};
}

Result<MechanismFamily> prepare_vickrey(const MechanismRequest& request) {
  SOTTO_ASSIGN(const double t, read_number("parameters.t", request.parameters.at("t"), 0, 1));
  SOTTO_ASSIGN(const bool exclude_input, parse_exclude_input(request));
  SOTTO_ASSIGN(auto space, NoiseSpace::make(request.model));
  return MechanismFamily{[space = std::move(space), t, exclude_input](double epsilon) {
    return std::make_unique<Vickrey>(space, epsilon, t, exclude_input);
  }};
}

}  // namespace sotto::mechanism
