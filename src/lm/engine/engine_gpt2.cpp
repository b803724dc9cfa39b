// GPT-2, as a model that scores and continues texts.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "lm/engine/engine_models.hpp"
#include "lm/engine/engine_run.hpp"
#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

// Positions whose logits are computed together, because a row of them takes 40 kB or more.
constexpr std::size_t kScoredTogether = 64;

TransformerLayer read_gpt2_layer(const TensorReader& tensors, const Gpt2Sizes& sizes) {
  const std::int64_t width = sizes.width;
  TransformerLayer layer;
  layer.heads = static_cast<std::size_t>(sizes.heads);
  layer.activation = sizes.activation;
  layer.norm1 = tensors.norm("ln_1", width, sizes.epsilon);
  layer.query = tensors.transposed("attn.c_attn", width, 3 * width, {0, width});
  layer.key_value = tensors.transposed("attn.c_attn", width, 3 * width, {width, 2 * width});
  layer.output = tensors.transposed("attn.c_proj", width, width, {0, width});
  layer.norm2 = tensors.norm("ln_2", width, sizes.epsilon);
  layer.up = tensors.transposed("mlp.c_fc", width, sizes.inner, {0, sizes.inner});
  layer.down = tensors.transposed("mlp.c_proj", sizes.inner, width, {0, width});
  return layer;
}

/// What the layers have read of one text.
using TextCaches = std::vector<KeyValues>;

class EngineGpt2 final : public CausalModel, public std::enable_shared_from_this<EngineGpt2> {
 public:
  EngineGpt2(const CheckpointFiles& files, const LanguageModelResources& resources)
      : run_(resources), sizes_(read_gpt2_sizes(files.config())) {
    const TensorReader all(files);
    const TensorReader tensors = all.below_if("transformer", "wte.weight");
    words_ = tensors.table("wte.weight", sizes_.words, sizes_.width);
    positions_ = tensors.table("wpe.weight", sizes_.positions, sizes_.width);
    for (std::int64_t i = 0; i < sizes_.layers; ++i)
      layers_.push_back(read_gpt2_layer(tensors / "h" / i, sizes_));
    norm_ = tensors.norm("ln_f", sizes_.width, sizes_.epsilon);
    head_ = (sizes_.tied ? tensors : all)
                .matrix(sizes_.tied ? "wte.weight" : "lm_head.weight", sizes_.width, sizes_.words,
                        {0, sizes_.words});
  }

  std::uint32_t output_size() const override { return static_cast<std::uint32_t>(sizes_.words); }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(sizes_.positions); }
  bool answers() const override { return false; }
  Result<void> score(std::span<const Sequence> sequences, std::span<float> out) const override;
  Result<std::unique_ptr<Generation>> begin(std::span<const Sequence> prompts,
                                            std::span<float> logits) const override;

  const EngineRun& run() const { return run_; }
  InputLimits limits() const { return {sizes_.words, sizes_.positions}; }
  TextCaches new_caches() const {
    const auto heads = static_cast<std::size_t>(sizes_.heads);
    return TextCaches(layers_.size(), KeyValues(heads, static_cast<std::size_t>(sizes_.width) / heads));
  }
  /// Appends the sequences of a batch to texts; `texts` has the caches of each. Leaves the states of all
  /// tokens in `work`.
  void read(const EngineBatch& batch, std::span<TextCaches> texts, Workspace& work) const;
  /// The logits after some of the states.
  void logits_of_rows(std::span<const std::uint32_t> rows, Workspace& work, float* out) const;
  /// After the last token of each sequence of a batch.
  void last_logits(const EngineBatch& batch, Workspace& work, float* out) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 1; i < batch.begins.size(); ++i) rows.push_back(batch.begins[i] - 1);
    logits_of_rows(rows, work, out);
  }

 private:
  void score_batch(const EngineBatch& batch, Workspace& work, float* out) const;

  EngineRun run_;
  Gpt2Sizes sizes_;
  RowTable words_;
  RowTable positions_;
  std::vector<TransformerLayer> layers_;
  RowNorm norm_;
  ByteLinear head_;
};

void EngineGpt2::read(const EngineBatch& batch, std::span<TextCaches> texts, Workspace& work) const {
  const std::size_t width = words_.width();
  work.states.resize(batch.begins.back() * width);
  float* state = work.states.data();
  for (std::size_t s = 0; s < batch.sequences.size(); ++s) {
    const std::size_t before = texts[s][0].count();
    const std::vector<std::int32_t>& positions = batch.sequences[s].positions;
    for (std::size_t i = 0; i < batch.sequences[s].ids.size(); ++i, state += width) {
      words_.copy_row(batch.sequences[s].ids[i], state);
      positions_.add_row(positions.empty() ? static_cast<std::int32_t>(before + i) : positions[i], state);
    }
  }
  std::vector<KeyValues*> caches(texts.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    for (std::size_t s = 0; s < texts.size(); ++s) caches[s] = &texts[s][l];
    layers_[l].apply({batch.begins, {}, {}, caches}, work);
  }
}

void EngineGpt2::logits_of_rows(std::span<const std::uint32_t> rows, Workspace& work, float* out) const {
  const std::size_t width = words_.width();
  work.row.resize(width);
  work.scratch.resize(width);
  work.vectors.reset(rows.size(), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    norm_(work.states.data() + rows[i] * width, work.row.data());
    head_.set(work.vectors, i, work.row.data(), work.scratch.data());
  }
  head_.multiply(work.vectors, out);
}

void EngineGpt2::score_batch(const EngineBatch& batch, Workspace& work, float* out) const {
  std::vector<TextCaches> texts(batch.sequences.size(), new_caches());
  read(batch, texts, work);
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> next;
  for (std::size_t s = 0; s < batch.sequences.size(); ++s)
    for (std::size_t i = 1; i < batch.sequences[s].ids.size(); ++i) {
      rows.push_back(static_cast<std::uint32_t>(batch.begins[s] + i - 1));
      next.push_back(batch.sequences[s].ids[i]);
    }
  const std::size_t words = output_size();
  std::vector<float> logits(std::min(rows.size(), kScoredTogether) * words);
  for (std::size_t first = 0; first < rows.size(); first += kScoredTogether) {
    const std::size_t count = std::min(kScoredTogether, rows.size() - first);
    logits_of_rows(std::span(rows).subspan(first, count), work, logits.data());
    for (std::size_t i = 0; i < count; ++i) {
      const float* const row = logits.data() + i * words;
      out[first + i] = row[next[first + i]] - log_of_sum(row, words);
    }
  }
}

Result<void> EngineGpt2::score(std::span<const Sequence> sequences, std::span<float> out) const {
  return guarded([&] {
    check_sequences(sequences, limits());
    std::vector<std::size_t> begins = {0};
    for (const Sequence& sequence : sequences) begins.push_back(begins.back() + sequence.ids.size() - 1);
    if (out.size() != begins.back())
      refuse(Errc::invalid_argument,
             fmt::format("the sequences have {} scores, not {}", begins.back(), out.size()));
    run_.for_each_batch(sequences, [&](const EngineBatch& batch, Workspace& work) {
      score_batch(batch, work, out.data() + begins[batch.first]);
    });
  });
}

class EngineGeneration final : public Generation {
 public:
  EngineGeneration(std::shared_ptr<const EngineGpt2> model, std::span<const Sequence> prompts,
                   std::span<float> logits)
      : model_(std::move(model)), texts_(prompts.size(), model_->new_caches()) {
    read(prompts, logits);
  }

  Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) override {
    return guarded([&] {
      check_tokens(tokens, texts_.size(), model_->limits(), logits.size());
      std::size_t longest = 0;
      for (const TextCaches& text : texts_) longest = std::max(longest, text[0].count());
      if (longest >= model_->max_positions())
        refuse(Errc::limit, fmt::format("the longest text has {} tokens, the most the model takes", longest));
      std::vector<Sequence> sequences(tokens.size());
      for (std::size_t i = 0; i < tokens.size(); ++i) sequences[i].ids = {tokens[i]};
      read(sequences, logits);
    });
  }

 private:
  void read(std::span<const Sequence> sequences, std::span<float> logits) {
    const std::size_t words = model_->output_size();
    model_->run().for_each_batch(sequences, [&](const EngineBatch& batch, Workspace& work) {
      model_->read(batch, std::span(texts_).subspan(batch.first, batch.sequences.size()), work);
      model_->last_logits(batch, work, logits.data() + batch.first * words);
    });
  }

  std::shared_ptr<const EngineGpt2> model_;
  std::vector<TextCaches> texts_;
};

Result<std::unique_ptr<Generation>> EngineGpt2::begin(std::span<const Sequence> prompts,
                                                      std::span<float> logits) const {
  return guarded([&]() -> std::unique_ptr<Generation> {
    check_prompts(prompts, limits(), logits.size());
    return std::make_unique<EngineGeneration>(shared_from_this(), prompts, logits);
  });
}

}  // namespace

std::shared_ptr<const CausalModel> make_engine_gpt2(const CheckpointFiles& files,
                                                    const LanguageModelResources& resources) {
  return std::make_shared<const EngineGpt2>(files, resources);
}

}  // namespace sotto::lm
