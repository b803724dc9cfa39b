// One layer of a transformer over the rows of several sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/engine/attention.hpp"
#include "lm/engine/tensor_reader.hpp"

namespace sotto::lm {

/// The states of a batch, row by row, and memory for the steps between them. Reusable.
struct Workspace {
  std::vector<float> states;
  std::vector<float> picked;  // states that a last layer computes
  std::vector<float> queries;
  std::vector<float> keys_and_values;
  std::vector<float> context;
  std::vector<float> inner;
  std::vector<float> row;
  std::vector<float> scratch;
  std::vector<float> attention;
  std::vector<KeyValues> seen;
  ByteVectors vectors;
};

/// The rows of a batch: sequence i has those from begins[i] to begins[i + 1].
struct BatchRows {
  std::span<const std::uint32_t> begins;
  /// What a last layer computes: rows picked[picked_begins[i]] to picked[picked_begins[i + 1]] of sequence i,
  /// as numbers of the batch's rows. Empty: all.
  std::span<const std::uint32_t> picked = {};
  std::span<const std::uint32_t> picked_begins = {};
  /// Of a causal model: one per sequence, to which its rows are appended. Empty: every row sees all rows.
  std::span<KeyValues* const> caches = {};

  std::size_t sequences() const { return begins.size() - 1; }
  std::size_t count() const { return begins.back(); }
};

struct TransformerLayer {
  enum class Norms { first, last };  ///< before each half, or after it

  Norms norms = Norms::first;
  std::size_t heads = 1;
  Activation activation = Activation::gelu;
  RowNorm norm1;
  RowNorm norm2;
  ByteLinear query;
  ByteLinear key_value;
  ByteLinear output;
  ByteLinear up;
  ByteLinear down;

  /// Replaces the states by those after this layer; with picked rows, by theirs alone.
  void apply(const BatchRows& batch, Workspace& work) const;

 private:
  std::size_t width() const { return output.outputs(); }
  void project(const BatchRows& batch, Workspace& work) const;
  void attend_sequences(const BatchRows& batch, Workspace& work) const;
  void finish_attention(std::size_t rows, Workspace& work) const;
  void feed_forward(std::size_t rows, Workspace& work) const;
};

/// Normalizes rows in place.
void normalize_rows(const RowNorm& norm, std::size_t rows, std::size_t width, Workspace& work);

}  // namespace sotto::lm
