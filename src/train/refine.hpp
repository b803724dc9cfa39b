// Improves the distances between trained vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sotto::train {

/// Contiguous rows of floats.
class FloatRows {
 public:
  FloatRows(std::size_t rows, std::size_t dimension) : dimension_(dimension), values_(rows * dimension) {}
  std::size_t size() const { return values_.size() / dimension_; }
  std::size_t dimension() const { return dimension_; }
  std::span<float> operator[](std::size_t row) {
    return std::span(values_).subspan(row * dimension_, dimension_);
  }
  std::span<const float> operator[](std::size_t row) const {
    return std::span(values_).subspan(row * dimension_, dimension_);
  }

 private:
  std::size_t dimension_;
  std::vector<float> values_;
};

/// Scales a vector to length 1; a zero vector stays zero.
void scale_to_unit(std::span<float> vector);

/// Removes the mean and the first principal component of the rows (Mu and Viswanath, "All-but-the-Top: Simple
/// and Effective Postprocessing for Word Representations", with one component) and scales each to length 1.
/// The order of all additions is fixed, so the result does not depend on the number of threads.
void refine(FloatRows& rows);

}  // namespace sotto::train
