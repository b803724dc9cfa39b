#include "lm/torch/masked.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lm/torch/encoder.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"
#include "lm/torch/word_drawer.hpp"

namespace sotto::lm {
namespace {

// The names of a head's tensors.
struct HeadNames {
  const char* transform;
  const char* norm;
  const char* bias;
  const char* decoder;
};

constexpr HeadNames kBertHead = {"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                                 "cls.predictions.bias", "cls.predictions.decoder.weight"};
constexpr HeadNames kRobertaHead = {"lm_head.dense", "lm_head.layer_norm", "lm_head.bias",
                                    "lm_head.decoder.weight"};
constexpr HeadNames kDistilHead = {"vocab_transform", "vocab_layer_norm", "vocab_projector.bias",
                                   "vocab_projector.weight"};

const HeadNames& head_names(const std::string& type) {
  if (type == "roberta") return kRobertaHead;
  return type == "distilbert" ? kDistilHead : kBertHead;
}

// An encoder, a transformation, and the word embeddings again as the decoder.
class BertMaskedModel final : public BatchedMaskedModel {
 public:
  BertMaskedModel(const Checkpoint& checkpoint, std::unique_ptr<const Encoder> encoder)
      : BatchedMaskedModel(checkpoint.runtime(), encoder->limits(), encoder->limits().ids),
        encoder_(std::move(encoder)) {
    const Config& config = checkpoint.config();
    const std::string type = config.text("model_type");
    const HeadNames& names = head_names(type);
    const Weights weights(checkpoint);
    const std::int64_t width = encoder_->width();
    const std::int64_t words = encoder_->limits().ids;
    const char* const key = type == "distilbert" ? "activation" : "hidden_act";
    // RoBERTa's head is fixed; the others follow config.json.
    activation_ = type == "roberta" ? Activation::gelu : activation_named(config, key, "gelu");
    transform_ = Linear(weights, names.transform, width, width);
    norm_ = Norm(weights, names.norm, width,
                 type == "distilbert" ? 1e-12 : config.number("layer_norm_eps", 0, 1, 1e-12));
    const std::string embeddings = "embeddings.word_embeddings.weight";
    const bool tied = config.flag("tie_word_embeddings", true);
    const Weights source = tied ? weights.below_if(type, embeddings) : weights;
    decoder_ = Linear::from_matrix(source, tied ? embeddings : names.decoder, width, words,
                                   weights.tensor(names.bias, {words}));
  }

  std::optional<LogitBounds> bounds() const override { return std::nullopt; }

 protected:
  at::Tensor states(const Inputs& inputs, const at::Tensor& at) const override {
    return encoder_->states(inputs, at);
  }
  at::Tensor head(const at::Tensor& states) const override {
    return decoder_(norm_(activate(activation_, transform_(states))));
  }

 private:
  std::unique_ptr<const Encoder> encoder_;
  Activation activation_;
  Linear transform_;
  Norm norm_;
  Linear decoder_;
};

}  // namespace

Result<void> BatchedMaskedModel::logits(std::span<const Sequence> sequences,
                                        std::span<const std::uint32_t> masked, std::span<float> out) const {
  return torch_guarded([&] {
    check_places(sequences, masked, limits_, {output_size_, out.size()});
    const auto body = [&](std::span<const std::uint32_t> members, const Inputs& inputs) {
      std::vector<std::int64_t> at;
      for (std::size_t i = 0; i < members.size(); ++i)
        at.push_back(masked[members[i]] + (inputs.begins.empty() ? 0 : inputs.begins[i]));
      scatter_rows(head(states(inputs, to_device(at, runtime_))), members, out);
    };
    for_each_batch(sequences, runtime_, packing(), body);
  });
}

Result<void> BatchedMaskedModel::logits_at(std::span<const Sequence> sequences,
                                           std::span<const std::vector<std::uint32_t>> places,
                                           std::span<float> out) const {
  return torch_guarded([&] {
    const std::vector<std::uint32_t> firsts =
        check_place_lists(sequences, places, limits_, {output_size_, out.size()});
    const auto body = [&](std::span<const std::uint32_t> members, const Inputs& inputs) {
      const at::Tensor all = states(inputs, {});
      std::vector<std::int64_t> rows;
      for (std::size_t i = 0; i < members.size(); ++i)
        for (const std::uint32_t place : places[members[i]])
          rows.push_back(place + (inputs.begins.empty() ? static_cast<std::int64_t>(i) * all.size(1)
                                                        : inputs.begins[i]));
      const at::Tensor picked = all.flatten(0, 1).index_select(0, to_device(rows, runtime_));
      const at::Tensor answers = head(picked).to(at::kCPU, at::kFloat).contiguous();
      const float* row = answers.data_ptr<float>();
      for (const std::uint32_t member : members) {
        const std::size_t numbers = places[member].size() * output_size_;
        std::copy_n(row, numbers, out.data() + std::size_t{firsts[member]} * output_size_);
        row += numbers;
      }
    };
    for_each_batch(sequences, runtime_, packing(), body);
  });
}

Result<void> BatchedMaskedModel::logits_everywhere(const Sequence& sequence, std::span<float> out) const {
  return torch_guarded([&] {
    if (out.size() != sequence.ids.size() * output_size_)
      refuse(Errc::invalid_argument,
             fmt::format("a sequence of {} ids needs {} logits for each", sequence.ids.size(), output_size_));
    check_sequences({&sequence, 1}, limits_);
    const auto body = [&](std::span<const std::uint32_t>, const Inputs& inputs) {
      copy_rows(head(states(inputs, {})), out);
    };
    for_each_batch({&sequence, 1}, runtime_, packing(), body);
  });
}

Result<std::unique_ptr<const WordDrawer>> BatchedMaskedModel::drawer(const PublicLaw& law) const {
  return torch_guarded([&] {
    return make_word_drawer(
        {runtime_, limits_, output_size_, [this](const Inputs& inputs) { return states(inputs, {}); },
         [this](const at::Tensor& states) { return head(states); }, own_penalty()},
        law);
  });
}

std::shared_ptr<const MaskedModel> make_bert_masked(const Checkpoint& checkpoint) {
  return std::make_shared<const BertMaskedModel>(checkpoint, make_encoder(checkpoint));
}

}  // namespace sotto::lm
