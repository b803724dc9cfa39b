// BERT and its relatives. They differ in tensor names, in where positions begin, and in what DistilBERT
// omits.
#include <string>
#include <vector>

#include "lm/torch/encoder.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"

namespace sotto::lm {
namespace {

struct Sizes {
  std::int64_t width;
  std::int64_t heads;
  std::int64_t inner;
  double epsilon;
  Activation activation;
};

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
  BertLayer(const Weights& weights, const LayerNames& names, const Sizes& sizes)
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
  explicit BertEncoder(const Checkpoint& checkpoint) {
    const Config& config = checkpoint.config();
    type_ = config.text("model_type");
    const bool distil = type_ == "distilbert";
    if (config.text("position_embedding_type", "absolute") != "absolute")
      config.refuse_value("position_embedding_type", "\"absolute\"");
    const Sizes sizes = read_sizes(config, distil);
    width_ = sizes.width;
    limits_.ids = config.whole("vocab_size", 1, kLargestVocabulary);
    const std::int64_t places = config.whole("max_position_embeddings", 1, kMostPositions);
    // RoBERTa's positions start after the padding id.
    if (type_ == "roberta") offset_ = config.whole("pad_token_id", 0, kMostPositions, 1) + 1;
    limits_.positions = places - offset_;
    if (limits_.positions < 1) config.refuse_value("max_position_embeddings", "above pad_token_id + 1");
    limits_.segments = distil ? 1 : config.whole("type_vocab_size", 1, 1 << 10);
    const Weights all = Weights(checkpoint).below_if(type_, "embeddings.word_embeddings.weight");
    const Weights embeddings = all / "embeddings";
    words_ = embeddings.tensor("word_embeddings.weight", {limits_.ids, width_});
    positions_ = embeddings.tensor("position_embeddings.weight", {places, width_});
    if (!distil) segments_ = embeddings.tensor("token_type_embeddings.weight", {limits_.segments, width_});
    norm_ = Norm(embeddings, "LayerNorm", width_, sizes.epsilon);
    const Weights layers = all / (distil ? "transformer" : "encoder") / "layer";
    const std::int64_t count = config.whole(distil ? "n_layers" : "num_hidden_layers", 1, kMostLayers);
    for (std::int64_t i = 0; i < count; ++i)
      layers_.emplace_back(layers / i, distil ? kDistilNames : kBertNames, sizes);
  }

  InputLimits limits() const override { return limits_; }
  std::int64_t width() const override { return width_; }

  at::Tensor states(const Inputs& inputs, const at::Tensor& at) const override {
    at::Tensor x = at::embedding(words_, inputs.ids);
    if (segments_.defined()) x.add_(at::embedding(segments_, inputs.segments));
    x = norm_(x.add_(at::embedding(positions_, inputs.positions + offset_)));
    for (std::size_t i = 0; i < layers_.size(); ++i)
      x = layers_[i](inputs, x, i + 1 == layers_.size() ? at : at::Tensor());
    return x;
  }

 private:
  static Sizes read_sizes(const Config& config, bool distil) {
    const char* const width_key = distil ? "dim" : "hidden_size";
    const char* const heads_key = distil ? "n_heads" : "num_attention_heads";
    Sizes sizes{};
    sizes.width = config.whole(width_key, 1, kLargestWidth);
    sizes.heads = config.whole(heads_key, 1, sizes.width);
    if (sizes.width % sizes.heads != 0) config.refuse_value(heads_key, "a divisor of the model's width");
    sizes.inner = config.whole(distil ? "hidden_dim" : "intermediate_size", 1, kLargestWidth);
    sizes.epsilon = config.number("layer_norm_eps", 0, 1, 1e-12);
    sizes.activation = activation_named(config, distil ? "activation" : "hidden_act", "gelu");
    return sizes;
  }

  std::string type_;
  InputLimits limits_;
  std::int64_t width_ = 0;
  std::int64_t offset_ = 0;
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
