#include "mechanisms/noise/gumbel_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <boost/math/quadrature/gauss.hpp>

namespace sotto::mechanism {
namespace {

/// Gumbel(0, scale) conditioned on [−bound, bound].
class TruncatedGumbel {
 public:
  TruncatedGumbel(double scale, double bound)
      : scale_(scale), bound_(bound), low_(untruncated(-bound)), mass_(untruncated(bound) - low_) {}

  double density(double g) const {
    if (g < -bound_ || g > bound_) return 0;
    const double e = std::exp(-g / scale_);
    return e * std::exp(-e) / (scale_ * mass_);
  }
  double survival(double g) const {
    if (g <= -bound_) return 1;
    if (g >= bound_) return 0;
    return 1 - (untruncated(g) - low_) / mass_;
  }

 private:
  double untruncated(double g) const { return std::exp(-std::exp(-g / scale_)); }

  double scale_;
  double bound_;
  double low_;
  double mass_;
};

/// Adds to `law`, for each candidate, the density that the minimum is t and attained by it.
class Integrand {
 public:
  Integrand(std::span<const double> distances, std::span<const double> counts, TruncatedGumbel noise)
      : distances_(distances), counts_(counts), noise_(noise), survivals_(distances.size()) {}

  void add(double t, double weight, std::vector<double>& law) {
    const std::size_t size = distances_.size();
    for (std::size_t i = 0; i < size; ++i) survivals_[i] = noise_.survival(t - distances_[i]);
    double before = 1;  // the probability that all candidates before j are above t
    for (std::size_t j = 0; j < size; ++j) {
      const double density = noise_.density(t - distances_[j]);
      double others = before;
      double sum = 0;
      for (std::size_t k = j; density > 0 && k < size; ++k) {
        if (k > j) others *= survivals_[k];
        sum += counts_[k] * others;
      }
      law[j] += weight * density * sum;
      before *= survivals_[j];
    }
  }

 private:
  std::span<const double> distances_;
  std::span<const double> counts_;
  TruncatedGumbel noise_;
  std::vector<double> survivals_;
};

}  // namespace

std::vector<double> gumbel_choice_law(std::span<const double> distances,
                                      std::span<const double> count_probabilities, double scale,
                                      double bound) {
  using Rule = boost::math::quadrature::gauss<double, 15>;
  std::vector<double> law(distances.size());
  Integrand integrand(distances, count_probabilities, TruncatedGumbel(scale, bound));
  // Between these boundaries, where a candidate's noise begins, everything is smooth.
  std::vector<double> borders = {distances[0] + bound};
  for (const double distance : distances)
    borders.push_back(std::min(distance, distances[0] + 2 * bound) - bound);
  std::sort(borders.begin(), borders.end());
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const double width = borders[i + 1] - borders[i];
    const auto pieces = static_cast<std::size_t>(std::ceil(2 * width / scale)) + (width > 0 ? 0 : 1);
    const double half = width / (2 * static_cast<double>(pieces));
    for (std::size_t p = 0; half > 0 && p < pieces; ++p) {
      const double middle = borders[i] + half * static_cast<double>(2 * p + 1);
      for (std::size_t node = 0; node < Rule::abscissa().size(); ++node) {
        const double offset = half * Rule::abscissa()[node];
        const double weight = half * Rule::weights()[node];
        integrand.add(middle + offset, weight, law);
        if (offset != 0) integrand.add(middle - offset, weight, law);
      }
    }
  }
  return law;
}

}  // namespace sotto::mechanism
