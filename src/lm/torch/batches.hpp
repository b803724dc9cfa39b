// Sequences of different lengths as tensors, in batches of bounded size that are handed to threads: one after
// the other, or sorted by length and padded. What pads is masked, so it does not change an answer beyond
// rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "lm/language_model.hpp"
#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// Everything in a sequence must lie below these.
struct InputLimits {
  std::int64_t ids = 0;
  std::int64_t positions = 0;
  std::int64_t segments = 1;
  std::int64_t pieces = 1;
};

/// Throws Failure when a sequence is empty or too long, or a number in it out of range.
void check_sequences(std::span<const Sequence> sequences, const InputLimits& limits);

/// How a batch's sequences share a tensor: as rows that are padded to the longest, or one after the other in
/// a single row.
enum class Packing { padded, packed };

/// A batch on the device; each is [batch, length], or packed [1, all lengths].
struct Inputs {
  at::Tensor ids;
  at::Tensor positions;
  at::Tensor segments;
  at::Tensor pieces;
  at::Tensor lengths;  ///< [batch]
  /// [batch, 1, 1, length], 0 where a sequence is and −∞ where it is padded; undefined when nothing is.
  at::Tensor mask;
  /// Where the sequences begin when they are packed, and the end; empty when they are padded.
  std::vector<std::int64_t> begins;
};

/// These sequences, in this order, as one batch.
Inputs make_inputs(std::span<const Sequence> sequences, std::span<const std::uint32_t> members,
                   const Runtime& runtime, Packing packing = Packing::padded);

/// Calls body with batches that cover the sequences, each once, on the runtime's threads; `members` are
/// indices into the sequences in the order of the batch's rows.
void for_each_batch(
    std::span<const Sequence> sequences, const Runtime& runtime, Packing packing,
    const std::function<void(std::span<const std::uint32_t> members, const Inputs& inputs)>& body);

/// Copies row i of `rows` to out + members[i] · its size.
void scatter_rows(const at::Tensor& rows, std::span<const std::uint32_t> members, std::span<float> out);

/// Copies the rows one after the other.
void copy_rows(const at::Tensor& rows, std::span<float> out);

/// [count] of 64-bit numbers on the device.
at::Tensor to_device(const std::vector<std::int64_t>& values, const Runtime& runtime);

/// While it lives, large products that this thread asks for are spread over so many threads: one where
/// batches are spread already. ATen's and BLAS's own threads stay silent; they wait by spinning, and where
/// processors are shared that costs more than it gains.
class ThreadSpread {
 public:
  explicit ThreadSpread(unsigned threads);
  ThreadSpread(const ThreadSpread&) = delete;
  ThreadSpread& operator=(const ThreadSpread&) = delete;
  ~ThreadSpread();
  static unsigned threads();  ///< of the innermost one of this thread

 private:
  int aten_before_;
  unsigned before_;
  c10::InferenceMode inference_;
};

}  // namespace sotto::lm
