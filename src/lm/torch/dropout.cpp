#include "lm/torch/dropout.hpp"

#include <algorithm>

namespace sotto::lm {
namespace {

// From SplitMix64: neighbouring inputs give unrelated outputs.
constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kFirstFactor = 0xBF58476D1CE4E5B9;
constexpr std::uint64_t kSecondFactor = 0x94D049BB133111EB;

std::uint64_t mixed(std::uint64_t x) {
  x += kStep;
  x = (x ^ (x >> 30)) * kFirstFactor;
  x = (x ^ (x >> 27)) * kSecondFactor;
  return x ^ (x >> 31);
}

// The same for each number of a tensor. Its integers are signed, so a shift extends the sign, which is masked
// off.
at::Tensor mixed(at::Tensor x) {
  const auto number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  const auto shifted = [](const at::Tensor& value, std::int64_t by) {
    return at::bitwise_right_shift(value, by).bitwise_and_((std::int64_t{1} << (64 - by)) - 1);
  };
  x = x + number(kStep);
  x = shifted(x, 30).bitwise_xor_(x).mul_(number(kFirstFactor));
  x = shifted(x, 27).bitwise_xor_(x).mul_(number(kSecondFactor));
  return shifted(x, 31).bitwise_xor_(x);
}

// 64 random bits decide on four numbers.
constexpr std::int64_t kNumbers = 4;
constexpr std::int64_t kBits = 16;

}  // namespace

DropoutMask::DropoutMask(double share)
    : limit_(static_cast<std::uint32_t>(share * (1 << kBits))),
      kept_(static_cast<float>(1 / (1 - static_cast<double>(limit_) / (1 << kBits)))) {}

at::Tensor DropoutMask::on_processor(at::IntArrayRef shape, std::uint64_t seed) const {
  at::Tensor mask = at::empty(shape, at::kFloat);
  auto* const out = mask.data_ptr<float>();
  const std::int64_t count = mask.numel();
  for (std::int64_t i = 0; i < count; i += kNumbers) {
    const std::uint64_t bits = mixed(seed + static_cast<std::uint64_t>(i));
    for (std::int64_t j = 0; j < std::min(kNumbers, count - i); ++j)
      out[i + j] = ((bits >> (kBits * j)) & 0xFFFF) < limit_ ? 0 : kept_;
  }
  return mask;
}

at::Tensor DropoutMask::on(const at::Device& device, at::IntArrayRef shape, std::uint64_t seed) const {
  const at::TensorOptions whole = at::TensorOptions(at::kLong).device(device);
  const std::int64_t count = c10::multiply_integers(shape);
  const at::Tensor bits = mixed(at::arange(0, count, kNumbers, whole) + static_cast<std::int64_t>(seed));
  const at::Tensor parts = at::bitwise_right_shift(bits.unsqueeze(1), at::arange(0, 64, kBits, whole));
  const at::Tensor stays = parts.bitwise_and(0xFFFF).ge(static_cast<std::int64_t>(limit_));
  return stays.flatten().narrow(0, 0, count).view(shape).to(at::kFloat).mul_(kept_);
}

Dropout::Dropout(double share, std::initializer_list<std::uint64_t> seeds) : share_(share) {
  for (const std::uint64_t seed : seeds) state_ = mixed(state_ + seed);
}

at::Tensor Dropout::operator()(const at::Tensor& x) {
  if (share_ == 0) return x;
  state_ = mixed(state_);
  const DropoutMask mask(share_);
  return x * (x.is_cpu() ? mask.on_processor(x.sizes(), state_) : mask.on(x.device(), x.sizes(), state_));
}

}  // namespace sotto::lm
