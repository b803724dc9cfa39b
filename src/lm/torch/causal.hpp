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

/// The prompts as one batch, in order. A text has as many logits as there are ids. Throws Failure if there is
/// no prompt, a prompt exceeds the limits, or the room for logits does not match.
Inputs read_prompts(std::span<const Sequence> prompts, const InputLimits& limits, std::size_t logits,
                    const Runtime& runtime);

/// Throws Failure unless there is one token per text, all are ids, and the room for their logits matches.
void check_tokens(std::span<const std::int32_t> tokens, std::size_t texts, const InputLimits& limits,
                  std::size_t logits);

std::shared_ptr<const CausalModel> make_gpt2(const Checkpoint& checkpoint);
std::shared_ptr<const CausalModel> make_t5(const Checkpoint& checkpoint);

}  // namespace sotto::lm
