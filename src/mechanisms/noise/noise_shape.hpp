// A linear map that gives noise the shape of a model's word cloud, for the Mahalanobis mechanism.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::mechanism {

/// The covariance of the words' vectors, scaled to trace = dimension; row-major. Sums are exact integers, so
/// the order of summation does not matter. Refuses a model whose vectors are all equal. `threads` 0: all
/// processors.
Result<std::vector<double>> scaled_covariance(const Model& model, unsigned threads);

/// The lower triangular L of A = L·Lᵀ. For u uniform on the sphere, L·u has the distribution of A^½·u,
/// because A^½ = L·Q for an orthogonal Q. Immutable, so safe to share between threads.
class NoiseShape {
 public:
  /// Factors λ·`covariance` + (1 − λ)·I, once. Refuses a matrix that is not positive definite.
  static Result<NoiseShape> make(std::span<const double> covariance, std::size_t dimension, double lambda);

  /// out = L·x for each vector x of `vectors`, which are contiguous. Each coordinate is summed in 32 bits
  /// from the first term to the last without fused operations, so it depends neither on the processor nor on
  /// the number of vectors.
  void multiply(std::span<const float> vectors, std::span<float> out) const;

  /// |L⁻¹·x|: the length of a vector before multiplication. For x = φ(a) − φ(b), the Mahalanobis distance.
  double length_before(std::span<const double> x) const;

  /// L, row-major, as used in the multiplication.
  float factor(std::size_t row, std::size_t column) const;
  std::size_t dimension() const { return dimension_; }

 private:
  NoiseShape() = default;

  std::size_t dimension_ = 0;
  /// Panels of kShapePanel rows: for each column up to the panel's last row, the panel's entries.
  hwy::AlignedFreeUniquePtr<float[]> panels_;
  std::vector<std::size_t> offsets_;  ///< of the panels, and the end
};

}  // namespace sotto::mechanism
