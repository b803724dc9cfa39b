#include "train/refine.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::train {
namespace {

// The first component is clearly dominant in word vectors; where it is not, it does not matter which of two
// equal ones is removed.
constexpr int kPowerIterations = 100;
constexpr double kConverged = 1e-12;

double norm(std::span<const double> vector) {
  double sum = 0;
  for (const double x : vector) sum += x * x;
  return std::sqrt(sum);
}

double inner_product(std::span<const float> row, std::span<const double> direction) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += static_cast<double>(row[i]) * direction[i];
  return sum;
}

void subtract(std::span<float> row, double factor, std::span<const double> direction) {
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(static_cast<double>(row[i]) - factor * direction[i]);
}

void remove_mean(FloatRows& rows) {
  std::vector<double> mean(rows.dimension(), 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(rows[row][i]);
  for (double& x : mean) x /= static_cast<double>(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) subtract(rows[row], 1, mean);
}

/// By power iteration; all zeros if the rows are.
std::vector<double> first_component(const FloatRows& rows) {
  // The start must not be orthogonal to the component; the sum of the rows, each flipped to the same side, is
  // not, except for contrived rows.
  std::vector<double> direction(rows.dimension(), 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double sign = rows[row][0] < 0 ? -1 : 1;
    for (std::size_t i = 0; i < direction.size(); ++i)
      direction[i] += sign * static_cast<double>(rows[row][i]);
  }
  std::vector<double> next(rows.dimension());
  for (int iteration = 0; iteration < kPowerIterations; ++iteration) {
    const double length = norm(direction);
    if (length == 0) return direction;
    for (double& x : direction) x /= length;
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double product = inner_product(rows[row], direction);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += product * static_cast<double>(rows[row][i]);
    }
    double cosine = 0;
    for (std::size_t i = 0; i < next.size(); ++i) cosine += next[i] * direction[i];
    const bool converged = cosine >= (1 - kConverged) * norm(next);
    direction.swap(next);
    if (converged) break;
  }
  const double length = norm(direction);
  if (length > 0)
    for (double& x : direction) x /= length;
  return direction;
}

}  // namespace

void scale_to_unit(std::span<float> vector) {
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * static_cast<double>(x);
  if (sum == 0) return;
  const double factor = 1 / std::sqrt(sum);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * factor);
}

void refine(FloatRows& rows) {
  remove_mean(rows);
  const std::vector<double> component = first_component(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    subtract(rows[row], inner_product(rows[row], component), component);
    scale_to_unit(rows[row]);
  }
}

}  // namespace sotto::train
