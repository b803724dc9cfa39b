// BERT and its relatives. They differ in tensor names, in where positions begin, and in what DistilBERT
// omits.
#include <string>
#include <vector>

#include "lm/torch/encoder.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"

namespace sotto::lm {
namespace {

// The names of a layer's tensors, relative to the layer.
struct LayerNames {
  const char* query;
  const char* key;
  const char* value;
  const char* attention_output;
  const char* attention_norm;
  const char* up;
  const char* down;
  const char* norm;
};

constexpr LayerNames kBertNames = {
    "attention.self.query",       "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense",         "output.LayerNorm"};
constexpr LayerNames kDistilNames = {"attention.q_lin",   "attention.k_lin",  "attention.v_lin",
                                     "attention.out_lin", "sa_layer_norm",    "ffn.lin1",
                                     "ffn.lin2",          "output_layer_norm"};

class BertLayer {
 public:
  BertLayer(const Weights& weights, const LayerNames& names, const BertSizes& sizes)
      : heads_(sizes.heads),
        activation_(sizes.activation),
        query_(weights, names.query, sizes.width, sizes.width),
        key_(weights, names.key, sizes.width, sizes.width),
        value_(weights, names.value, sizes.width, sizes.width),
        attention_output_(weights, names.attention_output, sizes.width, sizes.width),
        attention_norm_(weights, names.attention_norm, sizes.width, sizes.epsilon),
        up_(weights, names.up, sizes.width, sizes.inner),
        down_(weights, names.down, sizes.inner, sizes.width),
        norm_(weights, names.norm, sizes.width, sizes.epsilon) {}

  at::Tensor operator()(const Inputs& inputs, const at::Tensor& x, const at::Tensor& at) const {
    const at::Tensor asking = at.defined() ? pick(inputs, x, at) : x;
    const at::Tensor context = attend_within(inputs, query_(asking), key_(x), value_(x), heads_);
    const at::Tensor attended = attention_norm_(attention_output_(context).add_(asking));
    return norm_(down_(activate(activation_, up_(attended))).add_(attended));
  }

 private:
  std::int64_t heads_;
  Activation activation_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear attention_output_;
  Norm attention_norm_;
  Linear up_;
  Linear down_;
  Norm norm_;
};

class BertEncoder final : public Encoder {
 public:
  explicit BertEncoder(const Checkpoint& checkpoint) : sizes_(read_bert_sizes(checkpoint.config())) {
    const bool distil = sizes_.distil();
    const InputLimits& limits = sizes_.limits;
    const Weights all = Weights(checkpoint).below_if(sizes_.type, "embeddings.word_embeddings.weight");
    const Weights embeddings = all / "embeddings";
    words_ = embeddings.tensor("word_embeddings.weight", {limits.ids, sizes_.width});
    positions_ = embeddings.tensor("position_embeddings.weight", {sizes_.places, sizes_.width});
    if (!distil)
      segments_ = embeddings.tensor("token_type_embeddings.weight", {limits.segments, sizes_.width});
    norm_ = Norm(embeddings, "LayerNorm", sizes_.width, sizes_.epsilon);
    const Weights layers = all / (distil ? "transformer" : "encoder") / "layer";
    for (std::int64_t i = 0; i < sizes_.layers; ++i)
      layers_.emplace_back(layers / i, distil ? kDistilNames : kBertNames, sizes_);
  }

  InputLimits limits() const override { return sizes_.limits; }
  std::int64_t width() const override { return sizes_.width; }

  at::Tensor states(const Inputs& inputs, const at::Tensor& at) const override {
    at::Tensor x = at::embedding(words_, inputs.ids);
    if (segments_.defined()) x.add_(at::embedding(segments_, inputs.segments));
    x = norm_(x.add_(at::embedding(positions_, inputs.positions + sizes_.offset)));
    for (std::size_t i = 0; i < layers_.size(); ++i)
      x = layers_[i](inputs, x, i + 1 == layers_.size() ? at : at::Tensor());
    return x;
  }

 private:
  BertSizes sizes_;
  at::Tensor words_;
  at::Tensor positions_;
  at::Tensor segments_;
  Norm norm_;
  std::vector<BertLayer> layers_;
};

}  // namespace

std::unique_ptr<const Encoder> make_encoder(const Checkpoint& checkpoint) {
  const std::string type = checkpoint.config().text("model_type");
  if (type != "bert" && type != "roberta" && type != "distilbert")
    checkpoint.config().refuse_value("model_type", "bert, roberta or distilbert");
  return std::make_unique<BertEncoder>(checkpoint);
}

}  // namespace sotto::lm
