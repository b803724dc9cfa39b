// Numbers that are hidden at random while a network learns.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ATen/ATen.h>

namespace sotto::lm {

/// For each number 0, if it is hidden, or else by how much it grows so that sums stay as they are on average.
/// What is hidden depends on share and seed alone: the two functions give the same numbers.
class DropoutMask {
 public:
  explicit DropoutMask(double share);
  at::Tensor on_processor(at::IntArrayRef shape, std::uint64_t seed) const;
  /// With operations of the device, so that nothing must be brought there.
  at::Tensor on(const at::Device& device, at::IntArrayRef shape, std::uint64_t seed) const;

 private:
  std::uint32_t limit_;  // of 65536
  float kept_;
};

/// Sets numbers to 0 at random while a network learns, and leaves them alone when it answers. What is drawn
/// depends on the seeds alone, so not on threads.
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
