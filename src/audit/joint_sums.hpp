// What the figures of an adversary who knows prior and mechanism are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto {

/// For every output the sums of π(w)f(w′|w) that the Bayes adversary's figures are made of.
class JointSums {
 public:
  explicit JointSums(std::size_t outputs) : sum_(outputs), squares_(outputs), largest_(outputs) {}

  /// Adds a secret's row, its outputs from `begin` to `end` only, so that threads can share the outputs.
  void add(double prior, std::span<const double> row, std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
      const double joint = prior * row[y];
      sum_[y] += joint;
      squares_[y] += joint * joint;
      largest_[y] = std::max(largest_[y], joint);
    }
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
  std::vector<double> sum_;
  std::vector<double> squares_;
  std::vector<double> largest_;
};

}  // namespace sotto
