// Dropout: numbers zeroed at random during training.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ATen/ATen.h>

namespace sotto::lm {

/// A factor per number: 0 if dropped, otherwise the scale that preserves sums on average. What is dropped
/// depends on share and seed alone: the two functions give the same numbers.
class DropoutMask {
 public:
  explicit DropoutMask(double share);
  at::Tensor on_processor(at::IntArrayRef shape, std::uint64_t seed) const;
  /// Uses the device's operations, so that nothing is copied there.
  at::Tensor on(const at::Device& device, at::IntArrayRef shape, std::uint64_t seed) const;

 private:
  std::uint32_t limit_;  // of 65536
  float kept_;
};

/// Sets numbers to 0 at random during training, and leaves them alone for answers. The draws depend on the
/// seeds alone, so not on threads.
class Dropout {
 public:
  Dropout() = default;
  Dropout(double share, std::initializer_list<std::uint64_t> seeds);
  at::Tensor operator()(const at::Tensor& x);

 private:
  double share_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace sotto::lm
