#include "mechanisms/noise/noise_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "mechanisms/noise/noise_kernel.hpp"

namespace sotto::mechanism {
namespace {

__extension__ using Wide = __int128;

// Σ x_i·x_j for i in [begin, end) and j ≤ i, exact: a product is below 2^31 and there are fewer than 2^22
// words, so every partial sum is an integer below 2^53.
template <class Integer>
void add_products(std::span<const Integer> vectors, std::size_t dimension, std::size_t begin, std::size_t end,
                  std::vector<double>& sums) {
  std::vector<double> x(end);
  for (std::size_t row = 0; row < vectors.size(); row += dimension) {
    std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(row), end, x.begin());
    for (std::size_t i = begin; i < end; ++i) {
      double* out = &sums[i * dimension];
      for (std::size_t j = 0; j <= i; ++j) out[j] += x[i] * x[j];
    }
  }
}

template <class Integer>
std::vector<std::int64_t> coordinate_sums(std::span<const Integer> vectors, std::size_t dimension) {
  std::vector<std::int64_t> sums(dimension);
  for (std::size_t row = 0; row < vectors.size(); row += dimension)
    for (std::size_t c = 0; c < dimension; ++c) sums[c] += vectors[row + c];
  return sums;
}

// n²·covariance.
template <class Integer>
std::vector<double> unscaled_covariance(std::span<const Integer> vectors, std::size_t dimension,
                                        unsigned threads) {
  constexpr std::size_t kRowsAtOnce = 16;
  std::vector<double> products(dimension * dimension);
  base::parallel_for(
      dimension, kRowsAtOnce, base::thread_count(threads),
      [&](std::size_t begin, std::size_t end) { add_products(vectors, dimension, begin, end, products); });
  const std::vector<std::int64_t> sums = coordinate_sums(vectors, dimension);
  const auto n = static_cast<Wide>(vectors.size() / dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Wide product = n * static_cast<std::int64_t>(products[i * dimension + j]);
      products[i * dimension + j] = static_cast<double>(product - static_cast<Wide>(sums[i]) * sums[j]);
      products[j * dimension + i] = products[i * dimension + j];
    }
  }
  return products;
}

// Replaces the lower triangle of `a` with its Cholesky factor; returns false if `a` is not positive definite.
bool factor_in_place(std::vector<double>& a, std::size_t dimension) {
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a[i * dimension + j];
      for (std::size_t k = 0; k < j; ++k) rest -= a[i * dimension + k] * a[j * dimension + k];
      if (i != j) {
        a[i * dimension + j] = rest / a[j * dimension + j];
        continue;
      }
      // A pivot lost in rounding errors says nothing about the matrix.
      if (rest <= 0x1p-40 * a[i * dimension + i]) return false;
      a[i * dimension + i] = std::sqrt(rest);
    }
  }
  return true;
}

}  // namespace

Result<std::vector<double>> scaled_covariance(const Model& model, unsigned threads) {
  const std::size_t dimension = model.dimension();
  if (model.size() >= 1U << 22)
    return fail_parameter("model", model.name(),
                          fmt::format("'{}' has {} words; at most {} are supported here", model.name(),
                                      model.size(), (1U << 22) - 1),
                          Errc::limit);
  std::vector<double> covariance = model.bits() == 16
                                       ? unscaled_covariance(model.vectors16(), dimension, threads)
                                       : unscaled_covariance(model.vectors8(), dimension, threads);
  double trace = 0;
  for (std::size_t i = 0; i < dimension; ++i) trace += covariance[i * dimension + i];
  if (trace == 0)
    return fail_parameter(
        "model", model.name(),
        fmt::format("the vectors of '{}' are all equal; give a model with different ones", model.name()));
  for (double& value : covariance) value = value / trace * static_cast<double>(dimension);
  return covariance;
}

Result<NoiseShape> NoiseShape::make(std::span<const double> covariance, std::size_t dimension,
                                    double lambda) {
  std::vector<double> a(covariance.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = lambda * covariance[i];
  for (std::size_t i = 0; i < dimension; ++i) a[i * dimension + i] += 1 - lambda;
  if (!factor_in_place(a, dimension))
    return fail_parameter("parameters.lambda", fmt::to_string(lambda),
                          fmt::format("'{}' is not allowed for this model, whose words do not span all {} "
                                      "dimensions; give a number from 0 to 0.99",
                                      lambda, dimension));
  NoiseShape shape;
  shape.dimension_ = dimension;
  shape.offsets_ = {0};
  for (std::size_t first = 0; first < dimension; first += kShapePanel)
    shape.offsets_.push_back(shape.offsets_.back() + kShapePanel * std::min(first + kShapePanel, dimension));
  shape.panels_ = hwy::AllocateAligned<float>(shape.offsets_.back());
  if (shape.panels_ == nullptr) return fail(Errc::limit, "not enough memory for the noise's shape");
  for (std::size_t p = 0; p + 1 < shape.offsets_.size(); ++p) {
    float* out = shape.panels_.get() + shape.offsets_[p];
    for (std::size_t column = 0; column < (shape.offsets_[p + 1] - shape.offsets_[p]) / kShapePanel;
         ++column) {
      for (std::size_t row = p * kShapePanel; row < (p + 1) * kShapePanel; ++row)
        *out++ = row < dimension && column <= row ? static_cast<float>(a[row * dimension + column]) : 0.0F;
    }
  }
  return shape;
}

float NoiseShape::factor(std::size_t row, std::size_t column) const {
  if (column > row) return 0;
  return panels_[offsets_[row / kShapePanel] + column * kShapePanel + row % kShapePanel];
}

double NoiseShape::length_before(std::span<const double> x) const {
  SOTTO_CHECK(x.size() == dimension_);
  std::vector<double> solution(dimension_);
  double square = 0;
  for (std::size_t row = 0; row < dimension_; ++row) {
    double rest = x[row];
    for (std::size_t column = 0; column < row; ++column)
      rest -= static_cast<double>(factor(row, column)) * solution[column];
    solution[row] = rest / static_cast<double>(factor(row, row));
    square += solution[row] * solution[row];
  }
  return std::sqrt(square);
}

void NoiseShape::multiply(std::span<const float> vectors, std::span<float> out) const {
  SOTTO_CHECK(vectors.size() == out.size() && vectors.size() % dimension_ == 0);
  for (std::size_t p = 0; p + 1 < offsets_.size(); ++p) {
    const std::size_t first = p * kShapePanel;
    multiply_shape_panel({panels_.get() + offsets_[p], (offsets_[p + 1] - offsets_[p]) / kShapePanel,
                          std::min(kShapePanel, dimension_ - first)},
                         vectors.data(), vectors.size() / dimension_, dimension_, out.data() + first);
  }
}

}  // namespace sotto::mechanism
