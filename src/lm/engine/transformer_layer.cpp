#include "lm/engine/transformer_layer.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::lm {

void normalize_rows(const RowNorm& norm, std::size_t rows, std::size_t width, Workspace& work) {
  work.row.resize(width);
  for (std::size_t i = 0; i < rows; ++i) {
    norm(work.states.data() + i * width, work.row.data());
    std::copy_n(work.row.data(), width, work.states.data() + i * width);
  }
}

/// Queries, keys and values; where rows are picked, queries and states of these alone.
void TransformerLayer::project(const BatchRows& batch, Workspace& work) const {
  const std::size_t size = width();
  work.row.resize(size);
  work.scratch.resize(std::max(size, down.inputs()));
  const auto set = [&](std::size_t i, const float* state) {
    if (norms == Norms::first) norm1(state, work.row.data());
    query.set(work.vectors, i, norms == Norms::first ? work.row.data() : state, work.scratch.data());
  };
  work.vectors.reset(batch.count(), size);
  for (std::size_t i = 0; i < batch.count(); ++i) set(i, work.states.data() + i * size);
  work.keys_and_values.resize(batch.count() * 2 * size);
  key_value.multiply(work.vectors, work.keys_and_values.data());
  if (!batch.picked.empty()) {
    work.picked.resize(batch.picked.size() * size);
    work.vectors.reset(batch.picked.size(), size);
    for (std::size_t i = 0; i < batch.picked.size(); ++i) {
      std::copy_n(work.states.data() + batch.picked[i] * size, size, work.picked.data() + i * size);
      set(i, work.picked.data() + i * size);
    }
    std::swap(work.states, work.picked);
  }
  work.queries.resize(work.vectors.count() * size);
  query.multiply(work.vectors, work.queries.data());
}

void TransformerLayer::attend_sequences(const BatchRows& batch, Workspace& work) const {
  const std::size_t size = width();
  const std::size_t head = size / heads;
  work.context.resize(work.queries.size());
  if (work.seen.empty() || work.seen[0].heads() != heads || work.seen[0].size() != head)
    work.seen.assign(1, KeyValues(heads, head));
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head)));
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    KeyValues& seen = batch.caches.empty() ? work.seen[0] : *batch.caches[i];
    if (batch.caches.empty()) seen.clear();
    const std::size_t before = seen.count();
    const std::size_t rows = batch.begins[i + 1] - batch.begins[i];
    const float* const keys = work.keys_and_values.data() + batch.begins[i] * 2 * size;
    seen.append({keys, 2 * size}, {keys + size, 2 * size}, rows);
    const auto& begins = batch.picked.empty() ? batch.begins : batch.picked_begins;
    const std::size_t first = begins[i];
    attend({{work.queries.data() + first * size, size},
            begins[i + 1] - first,
            batch.caches.empty() ? 0 : before + 1,
            scale},
           seen, work.context.data() + first * size, work.attention);
  }
}

void TransformerLayer::finish_attention(std::size_t rows, Workspace& work) const {
  const std::size_t size = width();
  work.vectors.reset(rows, size);
  for (std::size_t i = 0; i < rows; ++i)
    output.set(work.vectors, i, work.context.data() + i * size, work.scratch.data());
  output.multiply(work.vectors, work.states.data(), ByteMatrix::Into::add);
  if (norms == Norms::last) normalize_rows(norm1, rows, size, work);
}

void TransformerLayer::feed_forward(std::size_t rows, Workspace& work) const {
  const std::size_t size = width();
  work.vectors.reset(rows, size);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const state = work.states.data() + i * size;
    if (norms == Norms::first) norm2(state, work.row.data());
    up.set(work.vectors, i, norms == Norms::first ? work.row.data() : state, work.scratch.data());
  }
  const std::size_t inner = up.outputs();
  work.inner.resize(rows * inner);
  up.multiply(work.vectors, work.inner.data());
  work.vectors.reset(rows, inner);
  for (std::size_t i = 0; i < rows; ++i) {
    activate_all(activation, work.inner.data() + i * inner, inner);
    down.set(work.vectors, i, work.inner.data() + i * inner, work.scratch.data());
  }
  down.multiply(work.vectors, work.states.data(), ByteMatrix::Into::add);
  if (norms == Norms::last) normalize_rows(norm2, rows, size, work);
}

void TransformerLayer::apply(const BatchRows& batch, Workspace& work) const {
  project(batch, work);
  attend_sequences(batch, work);
  const std::size_t rows = batch.picked.empty() ? batch.count() : batch.picked.size();
  finish_attention(rows, work);
  feed_forward(rows, work);
}

}  // namespace sotto::lm
