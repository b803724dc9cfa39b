#include "lm/torch/causal.hpp"

#include <numeric>

#include <fmt/format.h>

#include "lm/torch/failure.hpp"

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
  if (prompts.empty() || logits != prompts.size() * static_cast<std::size_t>(limits.ids))
    refuse(Errc::invalid_argument, fmt::format("{} prompts need {} logits each", prompts.size(), limits.ids));
  check_sequences(prompts, limits);
  std::vector<std::uint32_t> all(prompts.size());
  std::iota(all.begin(), all.end(), 0U);
  return make_inputs(prompts, all, runtime);
}

void check_tokens(std::span<const std::int32_t> tokens, std::size_t texts, const InputLimits& limits,
                  std::size_t logits) {
  if (tokens.size() != texts || logits != texts * static_cast<std::size_t>(limits.ids))
    refuse(Errc::invalid_argument, fmt::format("there are {} texts, with {} logits each", texts, limits.ids));
  // Their number is not a length, so all of them get position 0.
  const std::vector<std::int32_t> positions(tokens.size());
  check_sequences(std::vector<Sequence>{{{tokens.begin(), tokens.end()}, positions, {}, {}}}, limits);
}

}  // namespace sotto::lm
