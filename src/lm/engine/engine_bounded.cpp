// The bounded masked model (see also docs/bounded-mlm.md). Its input has a text twice, as it was and as it is
// being rewritten, distinguished by segment and sharing positions. Words are read as pieces at one position;
// the outputs are scores of whole words, which the head's law keeps in a fixed range (BoundedHead). The model
// is conditioned on the reach of a draw and, from format version 2 on, on its wander; without a reach it is
// an ordinary masked model.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lm/engine/engine_models.hpp"
#include "lm/engine/engine_run.hpp"
#include "lm/failure.hpp"
#include "lm/float_mode.hpp"
#include "lm/own_words.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {
namespace {

// The weights, shared by models at different reaches.
struct BoundedWeights {
  BoundedWeights(const CheckpointFiles& files, const LanguageModelResources& resources);

  /// The scores at picked rows of a batch, one row of them after the other.
  void scores(const EngineBatch& batch, const BatchRows& rows, std::span<const float> condition,
              Workspace& work, float* out) const;
  void embed(const EngineBatch& batch, std::span<const float> condition, Workspace& work) const;

  EngineRun run;
  BoundedSizes sizes;
  RowTable pieces;
  ByteLinear project;
  RowTable slots;
  RowTable piece_indices;
  RowTable segments;
  std::vector<float> conditions;  // one row per knot, and a last one for use without a reach
  std::vector<float> wander_conditions;
  OwnWords own_words;
  std::vector<float> base_measures;
  std::vector<float> log_totals;  // one row per knot of the wander
  std::vector<float> sharpness;   // for possible output words, and for others
  RowNorm embedding_norm;
  std::vector<TransformerLayer> layers;
  RowNorm norm;
  ByteLinear head_dense;
  RowNorm head_norm;
  ByteLinear head_words;
};

TransformerLayer read_bounded_layer(const TensorReader& tensors, const BoundedSizes& sizes) {
  const std::int64_t width = sizes.width;
  TransformerLayer layer;
  layer.heads = static_cast<std::size_t>(sizes.heads);
  layer.norm1 = tensors.norm("norm1", width, sizes.epsilon);
  layer.query = tensors.linear("attention.qkv", width, 3 * width, {0, width});
  layer.key_value = tensors.linear("attention.qkv", width, 3 * width, {width, 2 * width});
  layer.output = tensors.linear("attention.out", width, width);
  layer.norm2 = tensors.norm("norm2", width, sizes.epsilon);
  layer.up = tensors.linear("ffn.up", width, sizes.inner);
  layer.down = tensors.linear("ffn.down", sizes.inner, width);
  return layer;
}

BoundedWeights::BoundedWeights(const CheckpointFiles& files, const LanguageModelResources& resources)
    : run(resources), sizes(read_bounded_sizes(files.config())), own_words(files, sizes) {
  const auto knots = static_cast<std::int64_t>(sizes.knots.size());
  const auto wander_knots = static_cast<std::int64_t>(sizes.wander_knots.size());
  const TensorReader all(files);
  const TensorReader embed = all / "embed";
  pieces = embed.table("pieces.weight", sizes.limits.ids, sizes.piece_width);
  project = embed.matrix("project.weight", sizes.piece_width, sizes.width, {0, sizes.width});
  slots = embed.table("slot.weight", sizes.limits.positions, sizes.width);
  piece_indices = embed.table("piece_index.weight", sizes.limits.pieces, sizes.width);
  segments = embed.table("segment.weight", sizes.limits.segments, sizes.width);
  conditions = embed.numbers("reach.weight", {knots + 1, sizes.width});
  if (wander_knots > 0) wander_conditions = embed.numbers("wander.weight", {wander_knots, sizes.width});
  embedding_norm = embed.norm("norm", sizes.width, sizes.epsilon);
  for (std::int64_t i = 0; i < sizes.layers; ++i)
    layers.push_back(read_bounded_layer(all / "layers" / i, sizes));
  norm = all.norm("norm", sizes.width, sizes.epsilon);
  head_dense = all.linear("head.dense", sizes.width, sizes.head_width);
  head_norm = all.norm("head.norm", sizes.head_width, sizes.epsilon);
  head_words = all.linear("head.words", sizes.head_width, sizes.words);
  base_measures = all.numbers("base_measure.weight", {knots, sizes.words});
  log_totals =
      all.numbers("log_total", wander_knots > 0 ? std::vector{wander_knots, knots} : std::vector{knots});
  sharpness = all.numbers("sharpness", {2, knots});
}

void BoundedWeights::embed(const EngineBatch& batch, std::span<const float> condition,
                           Workspace& work) const {
  const std::size_t width = project.outputs();
  const std::size_t rows = batch.begins.back();
  work.row.resize(pieces.width());
  work.scratch.resize(pieces.width());
  work.vectors.reset(rows, pieces.width());
  std::size_t row = 0;
  for (const Sequence& sequence : batch.sequences)
    for (const std::int32_t id : sequence.ids) {
      pieces.copy_row(id, work.row.data());
      project.set(work.vectors, row++, work.row.data(), work.scratch.data());
    }
  work.states.resize(rows * width);
  project.multiply(work.vectors, work.states.data());
  float* state = work.states.data();
  const auto at = [](const std::vector<std::int32_t>& numbers, std::size_t i, std::size_t otherwise) {
    return numbers.empty() ? static_cast<std::int32_t>(otherwise) : numbers[i];
  };
  for (const Sequence& sequence : batch.sequences)
    for (std::size_t i = 0; i < sequence.ids.size(); ++i, state += width) {
      slots.add_row(at(sequence.positions, i, i), state);
      piece_indices.add_row(at(sequence.pieces, i, 0), state);
      segments.add_row(at(sequence.segments, i, 0), state);
      for (std::size_t c = 0; c < width; ++c) state[c] += condition[c];
    }
  normalize_rows(embedding_norm, rows, width, work);
}

void BoundedWeights::scores(const EngineBatch& batch, const BatchRows& rows, std::span<const float> condition,
                            Workspace& work, float* out) const {
  embed(batch, condition, work);
  for (std::size_t i = 0; i < layers.size(); ++i)
    layers[i].apply(i + 1 == layers.size() ? rows : BatchRows{rows.begins}, work);
  const std::size_t width = project.outputs();
  const std::size_t answers = rows.picked.size();
  work.row.resize(std::max(width, head_dense.outputs()));
  work.scratch.resize(work.row.size());
  work.vectors.reset(answers, width);
  for (std::size_t i = 0; i < answers; ++i) {
    norm(work.states.data() + i * width, work.row.data());
    head_dense.set(work.vectors, i, work.row.data(), work.scratch.data());
  }
  const std::size_t inner = head_dense.outputs();
  work.inner.resize(answers * inner);
  head_dense.multiply(work.vectors, work.inner.data());
  work.vectors.reset(answers, inner);
  for (std::size_t i = 0; i < answers; ++i) {
    activate_all(Activation::gelu, work.inner.data() + i * inner, inner);
    head_norm(work.inner.data() + i * inner, work.row.data());
    head_words.set(work.vectors, i, work.row.data(), work.scratch.data());
  }
  head_words.multiply(work.vectors, out);
}

/// The number at a column between two rows of a table.
double between(const std::vector<float>& table, std::size_t columns, const KnotShare& knot,
               std::size_t column) {
  const std::size_t right = knot.right * columns + column;
  return (1 - knot.share) * static_cast<double>(table[right - columns]) +
         knot.share * static_cast<double>(table[right]);
}

// ln of the softmax, as exact as doubles are.
std::vector<float> log_shares(const std::vector<double>& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    return std::vector<float>(numbers.size(), NAN);
  const double largest = *std::max_element(numbers.begin(), numbers.end());
  double sum = 0;
  for (const double x : numbers) sum += random::portable_exp(std::clamp(x - largest, -700.0, 0.0));
  const double log_sum = random::portable_log(sum);
  std::vector<float> out;
  out.reserve(numbers.size());
  for (const double x : numbers) out.push_back(static_cast<float>(x - largest - log_sum));
  return out;
}

class EngineBounded final : public MaskedModel {
 public:
  explicit EngineBounded(std::shared_ptr<const BoundedWeights> weights) : weights_(std::move(weights)) {
    const FloatMode mode;
    const std::size_t width = this->width();
    for (std::size_t i = 0; i < width; ++i) {
      condition_.push_back(weights_->conditions[weights_->sizes.knots.size() * width + i]);
      if (depends_on_wander()) condition_[i] += weights_->wander_conditions[i];
    }
  }

  EngineBounded(std::shared_ptr<const BoundedWeights> weights, double reach, double wander)
      : weights_(std::move(weights)) {
    const FloatMode mode;
    const BoundedSizes& sizes = weights_->sizes;
    const KnotShare knot = share_of_knots(sizes.knots, reach);
    const KnotShare wander_knot =
        depends_on_wander() ? share_of_wander(sizes.wander_knots, wander) : KnotShare{};
    for (std::size_t i = 0; i < width(); ++i) {
      double condition = between(weights_->conditions, width(), knot, i);
      if (depends_on_wander()) condition += between(weights_->wander_conditions, width(), wander_knot, i);
      condition_.push_back(static_cast<float>(condition));
    }
    own_penalty_ = weights_->own_words.penalties(wander);
    std::vector<double> base;
    for (std::size_t i = 0; i < output_size(); ++i)
      base.push_back(between(weights_->base_measures, output_size(), knot, i));
    log_base_ = log_shares(base);
    head_ = std::make_unique<BoundedHead>(
        head_at_reach(sizes, reach,
                      {log_total_at(knot, wander_knot), between(weights_->sharpness, 1, knot, 0),
                       between(weights_->sharpness, 1, knot, sizes.knots.size())}));
  }

  std::uint32_t input_size() const override { return size_of(weights_->sizes.limits.ids); }
  std::uint32_t output_size() const override { return size_of(weights_->sizes.words); }
  std::uint32_t max_positions() const override { return size_of(weights_->sizes.limits.positions); }
  std::uint32_t segment_count() const override { return size_of(weights_->sizes.limits.segments); }
  std::uint32_t piece_count() const override { return size_of(weights_->sizes.limits.pieces); }
  std::optional<LogitBounds> bounds() const override {
    return LogitBounds{0, static_cast<float>(weights_->sizes.range), true};
  }
  std::span<const float> log_base() const override { return log_base_; }
  const BoundedHead* bounded_head() const override { return head_.get(); }

  OwnPenalty own_penalty() const override { return {own_penalty_, weights_->own_words.groups()}; }
  std::optional<double> usual_wander() const override {
    return depends_on_wander() ? std::optional(weights_->sizes.usual_wander) : std::nullopt;
  }
  Result<std::shared_ptr<const MaskedModel>> at_reach(double reach, double wander) const override {
    return guarded([&]() -> std::shared_ptr<const MaskedModel> {
      check_draw(reach, wander);
      return std::make_shared<const EngineBounded>(weights_, reach, wander);
    });
  }

  Result<void> logits(std::span<const Sequence> sequences, std::span<const std::uint32_t> masked,
                      std::span<float> out) const override {
    return guarded([&] {
      check_places(sequences, masked, weights_->sizes.limits, {output_size(), out.size()});
      std::vector<std::uint32_t> ends(sequences.size() + 1);
      std::iota(ends.begin(), ends.end(), 0U);
      answer(sequences, masked, ends, out);
    });
  }

  Result<void> logits_at(std::span<const Sequence> sequences,
                         std::span<const std::vector<std::uint32_t>> places,
                         std::span<float> out) const override {
    return guarded([&] {
      const std::vector<std::uint32_t> firsts =
          check_place_lists(sequences, places, weights_->sizes.limits, {output_size(), out.size()});
      std::vector<std::uint32_t> all;
      for (const std::vector<std::uint32_t>& list : places) all.insert(all.end(), list.begin(), list.end());
      answer(sequences, all, firsts, out);
    });
  }

 private:
  static std::uint32_t size_of(std::int64_t size) { return static_cast<std::uint32_t>(size); }
  std::size_t width() const { return static_cast<std::size_t>(weights_->sizes.width); }
  bool depends_on_wander() const { return !weights_->sizes.wander_knots.empty(); }

  double log_total_at(const KnotShare& reach, const KnotShare& wander) const {
    const auto of_row = [&](std::size_t row) {
      return between(weights_->log_totals, 1, reach, row * weights_->sizes.knots.size());
    };
    if (!depends_on_wander()) return of_row(0);
    return (1 - wander.share) * of_row(wander.right - 1) + wander.share * of_row(wander.right);
  }

  /// At places[ends[i]] to places[ends[i + 1]] of sequence i, at least one.
  void answer(std::span<const Sequence> sequences, std::span<const std::uint32_t> places,
              std::span<const std::uint32_t> ends, std::span<float> out) const {
    const auto body = [&](const EngineBatch& batch, Workspace& work) {
      const std::uint32_t first = ends[batch.first];
      std::vector<std::uint32_t> picked;
      std::vector<std::uint32_t> picked_begins = {0};
      for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
        for (std::uint32_t k = ends[batch.first + i]; k < ends[batch.first + i + 1]; ++k)
          picked.push_back(batch.begins[i] + places[k]);
        picked_begins.push_back(static_cast<std::uint32_t>(picked.size()));
      }
      weights_->scores(batch, {batch.begins, picked, picked_begins}, condition_, work,
                       out.data() + std::size_t{first} * output_size());
    };
    weights_->run.for_each_batch(sequences, body);
  }

  std::shared_ptr<const BoundedWeights> weights_;
  std::vector<float> condition_;
  std::vector<float> own_penalty_;
  std::vector<float> log_base_;
  std::unique_ptr<BoundedHead> head_;  // null in a model as opened
};

}  // namespace

std::shared_ptr<const MaskedModel> make_engine_bounded(const CheckpointFiles& files,
                                                       const LanguageModelResources& resources) {
  return std::make_shared<const EngineBounded>(std::make_shared<const BoundedWeights>(files, resources));
}

}  // namespace sotto::lm
