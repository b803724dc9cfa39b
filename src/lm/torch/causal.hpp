// Models that continue or answer a text, token by token.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/ATen.h>

#include "lm/language_model.hpp"
#include "lm/torch/batches.hpp"
#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// Keys and values of one attention layer for the positions read so far, in memory that grows by doubling.
class KeyValueCache {
 public:
  /// [batch, heads, length, size] each.
  void append(const at::Tensor& keys, const at::Tensor& values);
  at::Tensor keys() const { return keys_.narrow(2, 0, length_); }
  at::Tensor values() const { return values_.narrow(2, 0, length_); }
  std::int64_t length() const { return length_; }

 private:
  at::Tensor keys_;
  at::Tensor values_;
  std::int64_t length_ = 0;
};

/// The prompts, checked (check_prompts), as one batch, in order.
Inputs read_prompts(std::span<const Sequence> prompts, const InputLimits& limits, std::size_t logits,
                    const Runtime& runtime);

std::shared_ptr<const CausalModel> make_gpt2(const Checkpoint& checkpoint);
std::shared_ptr<const CausalModel> make_t5(const Checkpoint& checkpoint);

}  // namespace sotto::lm
