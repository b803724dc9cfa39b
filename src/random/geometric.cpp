#include "random/geometric.hpp"

#include <cmath>
#include <cstddef>

#include <sotto/text_values.hpp>

#include "base/check.hpp"

namespace sotto::random {
namespace {

using Shape = GeometricLaw::Shape;

constexpr double kSmallestTableRate = 1.0 / 32;
constexpr unsigned kDigitBits = 10;
static_assert(GeometricLaw::kBase == std::uint64_t{1} << kDigitBits);
constexpr std::uint64_t kLargestMagnitude = std::uint64_t{1} << 62;

/// ε·1024^digit, exact because the base is a power of two.
double digit_rate(double epsilon, std::size_t digit) {
  return std::ldexp(epsilon, static_cast<int>(kDigitBits * digit));
}

std::vector<SurvivalTable> make_low_digits(double epsilon) {
  std::vector<SurvivalTable> digits;
  while (digit_rate(epsilon, digits.size()) < kSmallestTableRate)
    digits.emplace_back(GeometricLaw{Shape::digit, digit_rate(epsilon, digits.size())});
  return digits;
}

SurvivalTable make_table(double epsilon, std::size_t low_digits) {
  if (low_digits == 0) return SurvivalTable({Shape::magnitude, epsilon});
  return SurvivalTable({Shape::one_sided, digit_rate(epsilon, low_digits)});
}

}  // namespace

TwoSidedGeometric::TwoSidedGeometric(double epsilon)
    : epsilon_(epsilon),
      peak_(std::tanh(epsilon / 2)),
      low_digits_(make_low_digits(epsilon)),
      table_(make_table(epsilon, low_digits_.size())) {
  SOTTO_CHECK(epsilon >= kSmallestEpsilon && epsilon <= kLargestEpsilon);
}

std::int64_t TwoSidedGeometric::sample_by_digits(BitSource& bits) const {
  for (;;) {
    std::uint64_t magnitude = 0;
    unsigned shift = 0;
    for (const SurvivalTable& digit : low_digits_) {
      magnitude |= digit.sample(bits.next() >> 1, bits) << shift;
      shift += kDigitBits;
    }
    const std::uint64_t word = bits.next();
    const std::uint64_t highest = table_.sample(word >> 1, bits);
    magnitude = highest < kLargestMagnitude >> shift ? magnitude | highest << shift : kLargestMagnitude;
    if (magnitude != 0 || (word & 1) == 0) return with_sign(magnitude, word & 1);
  }
}

double TwoSidedGeometric::probability(std::int64_t k) const {
  return peak_ * std::exp(-epsilon_ * std::abs(static_cast<double>(k)));
}

double TwoSidedGeometric::tail(std::int64_t k) const {
  const double at_one = 1 / (1 + std::exp(-epsilon_));
  if (k > 0) return std::exp(-epsilon_ * static_cast<double>(k)) * at_one;
  return 1 - std::exp(-epsilon_ * (1 - static_cast<double>(k))) * at_one;
}

}  // namespace sotto::random
