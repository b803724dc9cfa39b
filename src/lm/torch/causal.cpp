#include "lm/torch/causal.hpp"

#include <numeric>

namespace sotto::lm {

void KeyValueCache::append(const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t needed = length_ + keys.size(2);
  if (!keys_.defined()) {
    keys_ = keys;
    values_ = values;
    length_ = needed;
    return;
  }
  if (needed > keys_.size(2)) {
    std::vector<std::int64_t> shape = keys.sizes().vec();
    shape[2] = 2 * needed;
    const auto grown = [&](const at::Tensor& old) {
      at::Tensor larger = at::empty(shape, old.options());
      larger.narrow(2, 0, length_).copy_(old.narrow(2, 0, length_));
      return larger;
    };
    keys_ = grown(keys_);
    values_ = grown(values_);
  }
  keys_.narrow(2, length_, keys.size(2)).copy_(keys);
  values_.narrow(2, length_, values.size(2)).copy_(values);
  length_ = needed;
}

Inputs read_prompts(std::span<const Sequence> prompts, const InputLimits& limits, std::size_t logits,
                    const Runtime& runtime) {
  check_prompts(prompts, limits, logits);
  std::vector<std::uint32_t> all(prompts.size());
  std::iota(all.begin(), all.end(), 0U);
  return make_inputs(prompts, all, runtime);
}

}  // namespace sotto::lm
