#include "mechanisms/bottom_vector.hpp"

#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace sotto::mechanism {
namespace {

/// sum / count rounded to the nearest integer, ties to even.
std::int16_t rounded_quotient(std::int64_t sum, std::int64_t count) {
  std::int64_t quotient = sum / count;
  std::int64_t rest = sum % count;
  if (rest < 0) {
    rest += count;
    --quotient;
  }
  if (2 * rest > count || (2 * rest == count && quotient % 2 != 0)) ++quotient;
  return static_cast<std::int16_t>(quotient);
}

template <class T>
std::vector<std::int16_t> mean(std::span<const T> vectors, std::size_t dimension, std::int64_t count) {
  std::vector<std::int64_t> sums(dimension);
  for (std::size_t begin = 0; begin < vectors.size(); begin += dimension)
    for (std::size_t c = 0; c < dimension; ++c) sums[c] += vectors[begin + c];
  std::vector<std::int16_t> result;
  result.reserve(dimension);
  for (const std::int64_t sum : sums) result.push_back(rounded_quotient(sum, count));
  return result;
}

template <class T>
std::int64_t squared_distance(std::span<const std::int16_t> a, const T* b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t difference = std::int64_t{a[i]} - b[i];
    sum += difference * difference;
  }
  return sum;
}

std::int64_t squared(const Model& model, std::span<const std::int16_t> bottom, TokenId a, TokenId b) {
  if (a == b) return 0;
  if (a == model.bottom()) std::swap(a, b);
  return b == model.bottom() ? squared_distance_from_bottom(model, bottom, a) : model.squared_distance(a, b);
}

}  // namespace

std::int64_t squared_distance_from_bottom(const Model& model, std::span<const std::int16_t> bottom,
                                          TokenId word) {
  const std::size_t begin = std::size_t{word} * bottom.size();
  return model.bits() == 16 ? squared_distance(bottom, model.vectors16().data() + begin)
                            : squared_distance(bottom, model.vectors8().data() + begin);
}

double euclidean_distance(const Model& model, std::span<const std::int16_t> bottom, TokenId a, TokenId b) {
  return model.scale() * std::sqrt(static_cast<double>(squared(model, bottom, a, b)));
}

std::vector<std::int16_t> bottom_vector(const Model& model) {
  SOTTO_CHECK(model.dimension() > 0 && model.size() > 0);
  return model.bits() == 16 ? mean(model.vectors16(), model.dimension(), model.size())
                            : mean(model.vectors8(), model.dimension(), model.size());
}

}  // namespace sotto::mechanism
