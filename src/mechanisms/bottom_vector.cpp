#include "mechanisms/bottom_vector.hpp"

#include <cassert>
#include <span>

namespace sotto {
namespace {

/// sum / count to the nearest integer, halves to even.
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

}  // namespace

std::vector<std::int16_t> bottom_vector(const Model& model) {
  assert(model.dimension() > 0 && model.size() > 0);
  return model.bits() == 16 ? mean(model.vectors16(), model.dimension(), model.size())
                            : mean(model.vectors8(), model.dimension(), model.size());
}

}  // namespace sotto
