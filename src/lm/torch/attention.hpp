// Attention within one sequence, on a processor: nothing is permuted or padded in memory. Compiled for every
// instruction set Highway knows and chosen at run time; free of libtorch.
#pragma once

#include <cstddef>
#include <vector>

namespace sotto::lm {

/// Rows of `heads` · `size` numbers, so many floats apart.
struct AttentionRows {
  const float* data;
  std::size_t stride;
};

struct AttentionTask {
  AttentionRows queries;
  AttentionRows keys;
  AttentionRows values;
  float* out;  ///< a row of heads · size numbers for each query, without gaps
  std::size_t query_count;
  std::size_t key_count;
  std::size_t heads;
  std::size_t size;
  float scale;
};

/// out = softmax(scale · q kᵀ) v for each head. `scratch` is memory to be used again. Thread-safe with a
/// scratch a thread.
void attend_within(const AttentionTask& task, std::vector<float>& scratch);

}  // namespace sotto::lm
