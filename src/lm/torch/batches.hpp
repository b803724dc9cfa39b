// Turns sequences of different lengths into tensors, in batches of bounded size that are distributed to
// threads: concatenated, or sorted by length and padded. Padding is masked, so it does not change an answer
// beyond rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "lm/input_limits.hpp"
#include "lm/language_model.hpp"
#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// How a batch's sequences share a tensor: as rows padded to the longest, or concatenated in a single row.
/// Grouped ones are packed, and padded within groups of similar length where they attend to each other: a
/// GPU's attention needs rows of equal length, everything else does not.
enum class Packing { padded, packed, grouped };

/// Sequences of similar length, one after another, for attention.
struct AttentionGroup {
  std::int64_t first = 0;  ///< sequence
  std::int64_t count = 0;
  std::int64_t longest = 0;
  at::Tensor rows;  ///< [count · longest]: the packed row of each padded one; any row for padding
  at::Tensor mask;  ///< as in Inputs
};

/// A batch on the device; each is [batch, length], or packed [1, all lengths].
struct Inputs {
  at::Tensor ids;
  at::Tensor positions;
  at::Tensor segments;
  at::Tensor pieces;
  at::Tensor lengths;  ///< [batch]
  /// [batch, 1, 1, length], 0 within a sequence and −∞ in padding; undefined if nothing is padded.
  at::Tensor mask;
  /// The starts of packed sequences, and the end; empty if padded.
  std::vector<std::int64_t> begins;
  std::vector<AttentionGroup> groups;  ///< empty unless grouped
  at::Tensor padded_rows;              ///< of each packed row, where it is in the rows of all groups
};

/// These sequences, in this order, as one batch.
Inputs make_inputs(std::span<const Sequence> sequences, std::span<const std::uint32_t> members,
                   const Runtime& runtime, Packing packing = Packing::padded);

/// Calls body with batches that cover each sequence once, on the runtime's threads; `members` are indices
/// into the sequences in the order of the batch's rows.
void for_each_batch(
    std::span<const Sequence> sequences, const Runtime& runtime, Packing packing,
    const std::function<void(std::span<const std::uint32_t> members, const Inputs& inputs)>& body);

/// Copies row i of `rows` to out + members[i] · its size.
void scatter_rows(const at::Tensor& rows, std::span<const std::uint32_t> members, std::span<float> out);

/// Copies the rows in order.
void copy_rows(const at::Tensor& rows, std::span<float> out);

/// On the device. A GPU copies while the processor goes on.
at::Tensor to_device(const at::Tensor& values, const Runtime& runtime);
/// 64-bit integers, [count], on the device.
at::Tensor to_device(const std::vector<std::int64_t>& values, const Runtime& runtime);

/// During its lifetime, large products requested by this thread are spread over this many threads; one where
/// batches are already spread. ATen's and BLAS's own threads are disabled: they spin while waiting, which
/// costs more than it gains on shared processors.
class ThreadSpread {
 public:
  explicit ThreadSpread(unsigned threads);
  ThreadSpread(const ThreadSpread&) = delete;
  ThreadSpread& operator=(const ThreadSpread&) = delete;
  ~ThreadSpread();
  static unsigned threads();  ///< of this thread's innermost instance

 private:
  int aten_before_;
  unsigned before_;
  c10::InferenceMode inference_;
};

}  // namespace sotto::lm
