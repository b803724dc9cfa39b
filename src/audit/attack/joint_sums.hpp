// Sums behind the figures of an adversary who knows prior and mechanism.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.hpp"

namespace sotto::audit {

/// For every output, the sums of π(w)f(w′|w) from which the Bayes adversary's figures are computed.
class JointSums {
 public:
  /// A good number of rows to add together: enough work for the threads without much memory.
  static constexpr std::size_t kRowsAtOnce = 64;

  explicit JointSums(std::size_t outputs) : sum_(outputs), squares_(outputs), largest_(outputs) {}

  /// Adds the rows of some secrets, the first of `rows`, in order. The threads divide the outputs.
  void add(std::span<const double> priors, std::span<const std::vector<double>> rows, unsigned threads) {
    constexpr std::size_t kOutputsAtOnce = 1024;
    base::parallel_for(sum_.size(), kOutputsAtOnce, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < priors.size(); ++i) add(priors[i], rows[i], begin, end);
    });
  }

  /// The success of the most probable secret.
  double best_guess_success() const {
    double success = 0;
    for (const double largest : largest_) success += largest;
    return success;
  }

  /// E_M: the error of a secret drawn from the posterior.
  double inference_error() const {
    double drawn = 0;
    for (std::size_t y = 0; y < sum_.size(); ++y)
      if (sum_[y] > 0) drawn += squares_[y] / sum_[y];
    return 1 - drawn;
  }

 private:
  void add(double prior, std::span<const double> row, std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
      const double joint = prior * row[y];
      sum_[y] += joint;
      squares_[y] += joint * joint;
      largest_[y] = std::max(largest_[y], joint);
    }
  }

  std::vector<double> sum_;
  std::vector<double> squares_;
  std::vector<double> largest_;
};

}  // namespace sotto::audit
