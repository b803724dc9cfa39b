// The Mahalanobis mechanism of the paper "A Comparative Analysis of Word-Level Metric Differential Privacy":
// noise r·A^½·u with A = λ·Σ + (1 − λ)·I and Σ the covariance of the words, scaled to trace = dimension; then
// the nearest word in Euclidean distance.
//
// Errors in the published code that are avoided here: it divides the covariance by the variance of all
// coordinates together, so that A shrinks if the coordinates have different means; it factors A again for
// every word.
#include "mechanisms/noise/mahalanobis.hpp"

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "mechanisms/noise/noise.hpp"

namespace sotto::mechanism {
namespace {

class Mahalanobis final : public NoiseMechanism {
 public:
  Mahalanobis(std::shared_ptr<const NoiseSpace> space, double epsilon,
              std::shared_ptr<const NoiseShape> shape, double lambda)
      : NoiseMechanism(std::move(space), epsilon), shape_(std::move(shape)), lambda_(lambda) {}

  TokenId choose(TokenId, std::span<const embed::Neighbour> nearest, double) const override {
    return nearest.front().row;
  }
  const NoiseShape* shape() const override { return shape_.get(); }

  double distance(TokenId a, TokenId b) const override {
    std::vector<std::int16_t> vectors(2 * space().dimension());
    const auto first = std::span(vectors).first(space().dimension());
    const auto second = std::span(vectors).last(space().dimension());
    space().copy_vector(a, first);
    space().copy_vector(b, second);
    std::vector<double> difference;
    for (std::size_t i = 0; i < first.size(); ++i)
      difference.push_back(space().model().scale() * (first[i] - second[i]));
    return shape_->length_before(difference);
  }

  Guarantee guarantee() const override {
    return analytic_guarantee(
        fmt::format("Mahalanobis distance, lambda {}", lambda_),
        "d_A), d_A(x, y)^2 = (x - y)' inverse(A) (x - y), A = lambda S + (1 - lambda) I, S the covariance of "
        "the model's vectors scaled to trace = dimension");
  }

 private:
  std::shared_ptr<const NoiseShape> shape_;
  double lambda_;
};

}  // namespace

MechanismInfo mahalanobis_info() {
  return {
      .name = "mahalanobis",
      .summary = "adds noise in the shape of the word cloud to a word's vector and takes the nearest word",
      .metric = "Mahalanobis distance of the vectors",
      .guarantee = "analytic: epsilon times the Mahalanobis distance, assuming real-valued noise",
      .speed = "tens of thousands of words per second",
      .use_when = "words in sparse regions should move as well as those in dense ones",
      .default_model = "sotto-en-wordnet",
      .parameters = {{"lambda", "0.2",
                      "how far the noise follows the words' covariance: a number from 0 (not at all) to "
                      "1"}}};
}

Result<MechanismFamily> prepare_mahalanobis(const MechanismRequest& request) {
  SOTTO_ASSIGN(const double lambda, read_number("parameters.lambda", request.parameters.at("lambda"), 0, 1));
  SOTTO_ASSIGN(auto space, NoiseSpace::make(request.model));
  SOTTO_ASSIGN(const std::vector<double> covariance,
               scaled_covariance(*request.model, request.resources.threads));
  SOTTO_ASSIGN(NoiseShape factored, NoiseShape::make(covariance, space->dimension(), lambda));
  auto shape = std::make_shared<const NoiseShape>(std::move(factored));
  return MechanismFamily{[space = std::move(space), shape = std::move(shape), lambda](double epsilon) {
    return std::make_unique<Mahalanobis>(space, epsilon, shape, lambda);
  }};
}

}  // namespace sotto::mechanism
