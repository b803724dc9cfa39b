// The calibrated multivariate perturbations of the paper "A Comparative Analysis of Word-Level Metric
// Differential Privacy" (also known as MADLIB, MVC or the Laplace mechanism): the vector of a word plus noise
// with density ∝ exp(−ε·|z|), then the nearest word, which may be the word itself.
//
// Errors in the published code that are avoided here: for a tiny ε the noise, in 32-bit floats, leaves few
// distinct outputs or makes the search return nothing, and the input is released; the search is approximate
// and mostly misses the nearest word.
#include "mechanisms/noise/cmp.hpp"

#include "mechanisms/noise/noise.hpp"

namespace sotto::mechanism {
namespace {

class Cmp final : public NoiseMechanism {
 public:
  using NoiseMechanism::NoiseMechanism;

  TokenId choose(TokenId, std::span<const embed::Neighbour> nearest, double) const override {
    return nearest.front().row;
  }

  double distance(TokenId a, TokenId b) const override { return space().distance(a, b); }

  Guarantee guarantee() const override {
    return analytic_guarantee("Euclidean distance of the vectors",
                              "d), d their Euclidean distance in the model");
  }
};

}  // namespace

MechanismInfo cmp_info() {
  return {.name = "cmp",
          .summary = "adds multivariate Laplace noise to a word's vector and takes the nearest word",
          .metric = "Euclidean distance of the vectors",
          .guarantee = "analytic: epsilon times the Euclidean distance, assuming real-valued noise",
          .speed = "tens of thousands of words per second",
          .use_when = "you want the standard metric mechanism as a baseline",
          .default_model = "sotto-en-wordnet",
          .parameters = {}};
}

Result<MechanismFamily> prepare_cmp(const MechanismRequest& request) {
  SOTTO_ASSIGN(auto space, NoiseSpace::make(request.model));
  return MechanismFamily{
      [space = std::move(space)](double epsilon) { return std::make_unique<Cmp>(space, epsilon); }};
}

}  // namespace sotto::mechanism
