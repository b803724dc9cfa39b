// BERT as a sentence encoder.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lm/engine/engine_models.hpp"
#include "lm/engine/engine_run.hpp"
#include "lm/failure.hpp"
#include "lm/sentence_layout.hpp"

namespace sotto::lm {
namespace {

TransformerLayer read_bert_layer(const TensorReader& tensors, const BertSizes& sizes) {
  const std::int64_t width = sizes.width;
  TransformerLayer layer;
  layer.norms = TransformerLayer::Norms::last;
  layer.heads = static_cast<std::size_t>(sizes.heads);
  layer.activation = sizes.activation;
  layer.query = tensors.linear("attention.self.query", width, width);
  layer.key_value = tensors.joined({"attention.self.key", "attention.self.value"}, width, width);
  layer.output = tensors.linear("attention.output.dense", width, width);
  layer.norm1 = tensors.norm("attention.output.LayerNorm", width, sizes.epsilon);
  layer.up = tensors.linear("intermediate.dense", width, sizes.inner);
  layer.down = tensors.linear("output.dense", sizes.inner, width);
  layer.norm2 = tensors.norm("output.LayerNorm", width, sizes.epsilon);
  return layer;
}

class EngineSentence final : public SentenceModel {
 public:
  EngineSentence(const SentenceLayout& layout, const CheckpointFiles& files,
                 const LanguageModelResources& resources)
      : run_(resources), sizes_(read_bert_sizes(files.config())), pooling_(layout.pooling) {
    if (sizes_.type != "bert") files.config().refuse_value("model_type", "bert");
    limits_ = sizes_.limits;
    limits_.positions = std::min(limits_.positions, layout.longest);
    const TensorReader all = TensorReader(files).below_if("bert", "embeddings.word_embeddings.weight");
    const TensorReader embeddings = all / "embeddings";
    words_ = embeddings.table("word_embeddings.weight", sizes_.limits.ids, sizes_.width);
    positions_ = embeddings.table("position_embeddings.weight", sizes_.places, sizes_.width);
    segments_ = embeddings.table("token_type_embeddings.weight", sizes_.limits.segments, sizes_.width);
    norm_ = embeddings.norm("LayerNorm", sizes_.width, sizes_.epsilon);
    for (std::int64_t i = 0; i < sizes_.layers; ++i)
      layers_.push_back(read_bert_layer(all / "encoder" / "layer" / i, sizes_));
  }

  std::uint32_t dimension() const override { return static_cast<std::uint32_t>(sizes_.width); }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(limits_.positions); }

  Result<void> encode(std::span<const Sequence> sequences, std::span<float> out) const override {
    return guarded([&] {
      if (out.size() != sequences.size() * dimension())
        refuse(Errc::invalid_argument,
               fmt::format("{} sequences need {} numbers each", sequences.size(), dimension()));
      check_sequences(sequences, limits_);
      run_.for_each_batch(sequences, [&](const EngineBatch& batch, Workspace& work) {
        embed(batch, work);
        for (const TransformerLayer& layer : layers_) layer.apply({batch.begins}, work);
        for (std::size_t i = 0; i < batch.sequences.size(); ++i)
          pool(work.states.data() + batch.begins[i] * dimension(), batch.sequences[i].ids.size(),
               out.data() + (batch.first + i) * dimension());
      });
    });
  }

 private:
  void embed(const EngineBatch& batch, Workspace& work) const {
    const std::size_t width = dimension();
    work.states.resize(batch.begins.back() * width);
    float* state = work.states.data();
    for (const Sequence& sequence : batch.sequences)
      for (std::size_t i = 0; i < sequence.ids.size(); ++i, state += width) {
        const std::int32_t position =
            sequence.positions.empty() ? static_cast<std::int32_t>(i) : sequence.positions[i];
        words_.copy_row(sequence.ids[i], state);
        segments_.add_row(sequence.segments.empty() ? 0 : sequence.segments[i], state);
        positions_.add_row(position, state);
      }
    normalize_rows(norm_, batch.begins.back(), width, work);
  }

  /// The mean of the states, or the first one, with length 1.
  void pool(const float* states, std::size_t count, float* out) const {
    const std::size_t width = dimension();
    std::copy_n(states, width, out);
    if (pooling_ == Pooling::mean) {
      for (std::size_t i = 1; i < count; ++i)
        for (std::size_t c = 0; c < width; ++c) out[c] += states[i * width + c];
      for (std::size_t c = 0; c < width; ++c) out[c] /= static_cast<float>(count);
    }
    const float length = std::max(std::sqrt(square_of_length(out, width)), 1e-12F);
    for (std::size_t c = 0; c < width; ++c) out[c] /= length;
  }

  EngineRun run_;
  BertSizes sizes_;
  Pooling pooling_;
  InputLimits limits_;
  RowTable words_;
  RowTable positions_;
  RowTable segments_;
  RowNorm norm_;
  std::vector<TransformerLayer> layers_;
};

}  // namespace

std::shared_ptr<const SentenceModel> make_engine_sentence(const std::filesystem::path& folder,
                                                          const LanguageModelResources& resources) {
  const SentenceLayout layout = read_sentence_layout(folder);
  return std::make_shared<const EngineSentence>(layout, CheckpointFiles(layout.transformer), resources);
}

}  // namespace sotto::lm
