// Attention within one sequence. Compiled for every instruction set that Highway knows, chosen at run time,
// with the same bits in the result: every sum of products is made number by number, in order.
#pragma once

#include <cstddef>
#include <vector>

namespace sotto::lm {

/// Rows of `heads` · `size` numbers, `stride` floats apart.
struct AttentionRows {
  const float* data;
  std::size_t stride;
};

/// The keys and values of a sequence in one layer, laid out for products. Grows.
class KeyValues {
 public:
  KeyValues(std::size_t heads, std::size_t size);

  std::size_t count() const { return count_; }
  std::size_t heads() const { return heads_; }
  std::size_t size() const { return size_; }
  void clear() { count_ = 0; }
  void append(const AttentionRows& keys, const AttentionRows& values, std::size_t count);

 private:
  friend class AttentionRun;
  void reserve(std::size_t count);

  std::size_t heads_;
  std::size_t size_;
  std::size_t padded_size_;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
  std::vector<float> keys_;    // per head transposed: `size` rows of capacity_
  std::vector<float> values_;  // per head capacity_ rows of padded_size_
};

struct AttentionQueries {
  AttentionRows rows;
  std::size_t count;
  /// How many keys the first query sees; the next one sees one more. 0: all see all.
  std::size_t first_sees;
  float scale;
};

/// out = softmax(scale · q kᵀ) v for each head: a row of heads · size numbers per query, without gaps.
/// `scratch` is reusable memory. Thread-safe with one scratch per thread.
void attend(const AttentionQueries& queries, const KeyValues& seen, float* out, std::vector<float>& scratch);

}  // namespace sotto::lm
