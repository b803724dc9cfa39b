// Attention within one sequence on the CPU, without permuting or padding the batch in memory. Compiled for
// every instruction set that Highway knows, chosen at run time; independent of libtorch.
#pragma once

#include <cstddef>
#include <vector>

namespace sotto::lm {

/// Rows of `heads` · `size` numbers, `stride` floats apart.
struct AttentionRows {
  const float* data;
  std::size_t stride;
};

struct AttentionTask {
  AttentionRows queries;
  AttentionRows keys;
  AttentionRows values;
  float* out;  ///< a row of heads · size numbers per query, without gaps
  std::size_t query_count;
  std::size_t key_count;
  std::size_t heads;
  std::size_t size;
  float scale;
};

/// out = softmax(scale · q kᵀ) v for each head. `scratch` is reusable memory. Thread-safe with one scratch
/// per thread.
void attend_within(const AttentionTask& task, std::vector<float>& scratch);

}  // namespace sotto::lm
