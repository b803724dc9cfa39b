// BERT, RoBERTa, DistilBERT and Sotto's bounded masked model as differentiable graphs, with dropout. The
// inference networks (bert.cpp, bounded.cpp) work in place, in 8 bits and without autograd; a test compares
// the two.
#include <cmath>
#include <string>
#include <vector>

#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"
#include "lm/torch/trainable.hpp"

namespace sotto::lm {
namespace {

constexpr double kStartDeviation = 0.02;  // of new weights, as in BERT

struct TrainableSizes {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  std::int64_t layers = 0;
  double epsilon = 0;
  Activation activation = Activation::gelu;
};

// The names of a layer's tensors, relative to the layer. Query, key and value may be one matrix.
struct TrainableNames {
  std::vector<const char*> attention;
  const char* attention_output;
  const char* attention_norm;
  const char* up;
  const char* down;
  const char* norm;
};

const TrainableNames kTrainableBertNames = {
    {"attention.self.query", "attention.self.key", "attention.self.value"},
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm"};
const TrainableNames kTrainableDistilNames = {{"attention.q_lin", "attention.k_lin", "attention.v_lin"},
                                              "attention.out_lin",
                                              "sa_layer_norm",
                                              "ffn.lin1",
                                              "ffn.lin2",
                                              "output_layer_norm"};
const TrainableNames kBoundedNames = {{"attention.qkv"}, "attention.out", "norm1",
                                      "ffn.up",          "ffn.down",      "norm2"};

struct TrainableNorm {
  Leaf weight = 0;
  Leaf bias = 0;
  double epsilon = 0;
  at::Tensor operator()(const Leaves& leaves, const at::Tensor& x) const {
    return at::layer_norm(x, leaves[weight].sizes(), leaves[weight], leaves[bias], epsilon);
  }
};

Affine read_affine(const Weights& weights, const std::string& name, std::int64_t inputs, std::int64_t outputs,
                   ParameterList& parameters) {
  return {parameters.add(weights, name + ".weight", {outputs, inputs}),
          parameters.add(weights, name + ".bias", {outputs})};
}

TrainableNorm read_norm(const Weights& weights, const std::string& name, const TrainableSizes& sizes,
                        ParameterList& parameters) {
  const bool old = !weights.has(name + ".weight") && weights.has(name + ".gamma");
  return {parameters.add(weights, name + (old ? ".gamma" : ".weight"), {sizes.width}),
          parameters.add(weights, name + (old ? ".beta" : ".bias"), {sizes.width}), sizes.epsilon};
}

at::Tensor activated(Activation activation, const at::Tensor& x) {
  switch (activation) {
    case Activation::gelu:
      return at::gelu(x);
    case Activation::gelu_tanh:
      return at::gelu(x, "tanh");
    case Activation::relu:
      return at::relu(x);
    case Activation::silu:
      return at::silu(x);
  }
  return x;
}

enum class NormPlace { before, after };

class TrainableLayer {
 public:
  TrainableLayer(const Weights& weights, const TrainableNames& names, const TrainableSizes& sizes,
                 NormPlace place, ParameterList& parameters)
      : heads_(sizes.heads), activation_(sizes.activation), place_(place) {
    const std::int64_t together = 3 / static_cast<std::int64_t>(names.attention.size());
    for (const char* const name : names.attention)
      attention_.push_back(read_affine(weights, name, sizes.width, together * sizes.width, parameters));
    attention_output_ = read_affine(weights, names.attention_output, sizes.width, sizes.width, parameters);
    attention_norm_ = read_norm(weights, names.attention_norm, sizes, parameters);
    up_ = read_affine(weights, names.up, sizes.width, sizes.inner, parameters);
    down_ = read_affine(weights, names.down, sizes.inner, sizes.width, parameters);
    norm_ = read_norm(weights, names.norm, sizes, parameters);
  }

  at::Tensor operator()(const Leaves& leaves, const at::Tensor& x, const at::Tensor& mask,
                        Dropout& dropout) const {
    if (place_ == NormPlace::before) {
      const at::Tensor attended = x + dropout(attend(leaves, attention_norm_(leaves, x), mask, dropout));
      return attended + dropout(feed(leaves, norm_(leaves, attended)));
    }
    const at::Tensor attended = attention_norm_(leaves, x + dropout(attend(leaves, x, mask, dropout)));
    return norm_(leaves, attended + dropout(feed(leaves, attended)));
  }

 private:
  at::Tensor attend(const Leaves& leaves, const at::Tensor& x, const at::Tensor& mask,
                    Dropout& dropout) const {
    std::vector<at::Tensor> parts;
    for (const Affine& affine : attention_) parts.push_back(affine(leaves, x));
    if (parts.size() == 1) parts = parts[0].chunk(3, -1);
    const std::int64_t head_size = x.size(2) / heads_;
    const double scale = 1 / std::sqrt(static_cast<double>(head_size));
    const at::Tensor keys = split_heads(parts[1], heads_).transpose(-2, -1);
    at::Tensor scores = at::matmul(split_heads(parts[0], heads_) * scale, keys);
    if (mask.defined()) scores = scores + mask;
    return attention_output_(
        leaves, join_heads(at::matmul(dropout(scores.softmax(-1)), split_heads(parts[2], heads_))));
  }

  at::Tensor feed(const Leaves& leaves, const at::Tensor& x) const {
    return down_(leaves, activated(activation_, up_(leaves, x)));
  }

  std::int64_t heads_;
  Activation activation_;
  NormPlace place_;
  std::vector<Affine> attention_;
  Affine attention_output_;
  TrainableNorm attention_norm_;
  Affine up_;
  Affine down_;
  TrainableNorm norm_;
};

struct Keys {
  const char* width;
  const char* heads;
  const char* inner;
  const char* layers;
  const char* activation;
};
constexpr Keys kKeys = {"hidden_size", "num_attention_heads", "intermediate_size", "num_hidden_layers",
                        "hidden_act"};
constexpr Keys kDistilKeys = {"dim", "n_heads", "hidden_dim", "n_layers", "activation"};

TrainableSizes read_sizes(const Config& config, const Keys& keys) {
  TrainableSizes sizes;
  sizes.width = config.whole(keys.width, 1, kLargestWidth);
  sizes.heads = config.whole(keys.heads, 1, sizes.width);
  if (sizes.width % sizes.heads != 0) config.refuse_value(keys.heads, "a divisor of the model's width");
  sizes.inner = config.whole(keys.inner, 1, kLargestWidth);
  sizes.layers = config.whole(keys.layers, 1, kMostLayers);
  sizes.epsilon = config.number("layer_norm_eps", 0, 1, 1e-12);
  sizes.activation = activation_named(config, keys.activation, "gelu");
  return sizes;
}

// What all architectures share: layers, pooling and the head. Each adds what precedes and follows the layers.
class TransformerGraph : public Graph {
 public:
  NetworkLimits limits() const override { return limits_; }
  std::int64_t width() const override { return sizes_.width; }
  std::size_t rows_together() const override { return 4; }

  at::Tensor features(const Leaves& leaves, const GraphInput& input, Dropout& dropout) const override {
    at::Tensor x = embedded(leaves, input.texts, dropout);
    for (const TrainableLayer& layer : layers_) x = layer(leaves, x, input.texts.mask, dropout);
    if (pooling_ == StatePooling::first) return finished(leaves, x.select(1, 0));
    at::Tensor states = finished(leaves, x);
    if (input.texts.mask.defined()) states = states * input.texts.mask.view({states.size(0), -1, 1}).eq(0);
    return states.sum(1) / input.texts.lengths.unsqueeze(1);
  }

  at::Tensor head(const Leaves& leaves, const at::Tensor& features, Dropout& dropout) const override {
    return output_(leaves, dropout(pooler_(leaves, features).tanh()));
  }

 protected:
  explicit TransformerGraph(const TrainableSizes& sizes) : sizes_(sizes) {}

  virtual at::Tensor embedded(const Leaves& leaves, const Inputs& inputs, Dropout& dropout) const = 0;
  virtual at::Tensor finished(const Leaves&, const at::Tensor& states) const { return states; }

  void add_layers(const Weights& weights, const TrainableNames& names, NormPlace place,
                  ParameterList& parameters) {
    for (std::int64_t i = 0; i < sizes_.layers; ++i)
      layers_.emplace_back(weights / i, names, sizes_, place, parameters);
  }

  // A folder already fine-tuned for a task has a head, which is used if it has as many outputs.
  void add_head(const Checkpoint& checkpoint, const Weights& model, std::int64_t outputs,
                ParameterList& parameters) {
    const Weights root(checkpoint);
    const Weights roberta_head = root / "classifier";
    const bool fits = outputs == label_count(checkpoint.config());
    const bool bert_pooler = model.has("pooler.dense.weight");
    if (roberta_head.has("dense.weight"))
      pooler_ = read_affine(roberta_head, "dense", sizes_.width, sizes_.width, parameters);
    else if (bert_pooler)
      pooler_ = read_affine(model, "pooler.dense", sizes_.width, sizes_.width, parameters);
    else
      pooler_ = new_affine(sizes_.width, parameters);
    if (fits && roberta_head.has("out_proj.weight"))
      output_ = read_affine(roberta_head, "out_proj", sizes_.width, outputs, parameters);
    else if (fits && bert_pooler && root.has("classifier.weight"))
      output_ = read_affine(root, "classifier", sizes_.width, outputs, parameters);
    else
      output_ = new_affine(outputs, parameters);
  }

  const TrainableSizes& sizes() const { return sizes_; }
  NetworkLimits& limits() { return limits_; }
  void set_pooling(StatePooling pooling) { pooling_ = pooling; }

 private:
  Affine new_affine(std::int64_t outputs, ParameterList& parameters) const {
    return {parameters.add_normal({outputs, sizes_.width}, kStartDeviation),
            parameters.add_constant({outputs}, 0)};
  }

  // Hugging Face omits it for two labels.
  static std::int64_t label_count(const Config& config) {
    return config.has("id2label") ? static_cast<std::int64_t>(config.json()["id2label"].size()) : 2;
  }

  TrainableSizes sizes_;
  NetworkLimits limits_;
  StatePooling pooling_ = StatePooling::first;
  std::vector<TrainableLayer> layers_;
  Affine pooler_;
  Affine output_;
};

class TrainableBert final : public TransformerGraph {
 public:
  TrainableBert(const Checkpoint& checkpoint, StatePooling pooling, std::int64_t outputs,
                ParameterList& parameters)
      : TransformerGraph(read_sizes(checkpoint.config(), distil(checkpoint) ? kDistilKeys : kKeys)) {
    const Config& config = checkpoint.config();
    const std::string type = config.text("model_type");
    const bool small = distil(checkpoint);
    if (config.text("position_embedding_type", "absolute") != "absolute")
      config.refuse_value("position_embedding_type", "\"absolute\"");
    const std::int64_t ids = config.whole("vocab_size", 1, kLargestVocabulary);
    const std::int64_t places = config.whole("max_position_embeddings", 1, kMostPositions);
    if (type == "roberta") offset_ = config.whole("pad_token_id", 0, kMostPositions, 1) + 1;
    if (places <= offset_) config.refuse_value("max_position_embeddings", "above pad_token_id + 1");
    const std::int64_t segments = small ? 1 : config.whole("type_vocab_size", 1, 1 << 10);
    limits() = {static_cast<std::uint32_t>(ids), static_cast<std::uint32_t>(places - offset_),
                static_cast<std::uint32_t>(segments), 1};
    if (pooling == StatePooling::automatic)
      pooling = config.text("pooling", "first") == "mean" ? StatePooling::mean : StatePooling::first;
    set_pooling(pooling);
    const Weights all = Weights(checkpoint).below_if(type, "embeddings.word_embeddings.weight");
    const Weights embeddings = all / "embeddings";
    const std::int64_t width = sizes().width;
    words_ = parameters.add(embeddings, "word_embeddings.weight", {ids, width});
    positions_ = parameters.add(embeddings, "position_embeddings.weight", {places, width});
    has_segments_ = !small;
    if (has_segments_)
      segments_ = parameters.add(embeddings, "token_type_embeddings.weight", {segments, width});
    norm_ = read_norm(embeddings, "LayerNorm", sizes(), parameters);
    add_layers(all / (small ? "transformer" : "encoder") / "layer",
               small ? kTrainableDistilNames : kTrainableBertNames, NormPlace::after, parameters);
    add_head(checkpoint, all, outputs, parameters);
  }

 private:
  static bool distil(const Checkpoint& checkpoint) {
    return checkpoint.config().text("model_type") == "distilbert";
  }

  at::Tensor embedded(const Leaves& leaves, const Inputs& inputs, Dropout& dropout) const override {
    at::Tensor x = at::embedding(leaves[words_], inputs.ids) +
                   at::embedding(leaves[positions_], inputs.positions + offset_);
    if (has_segments_) x = x + at::embedding(leaves[segments_], inputs.segments);
    return dropout(norm_(leaves, x));
  }

  std::int64_t offset_ = 0;
  bool has_segments_ = true;
  Leaf words_ = 0;
  Leaf positions_ = 0;
  Leaf segments_ = 0;
  TrainableNorm norm_;
};

class TrainableBounded final : public TransformerGraph {
 public:
  TrainableBounded(const Checkpoint& checkpoint, StatePooling pooling, std::int64_t outputs,
                   ParameterList& parameters)
      : TransformerGraph(read_sizes(checkpoint.config(), kKeys)) {
    const Config& config = checkpoint.config();
    const std::int64_t ids = config.whole("vocab_size", 1, kLargestVocabulary);
    const std::int64_t slots = config.whole("max_slots", 1, kMostPositions);
    const std::int64_t pieces = config.whole("max_pieces_per_slot", 1, kMostPositions);
    const std::int64_t piece_width = config.whole("piece_size", 1, kLargestWidth);
    limits() = {static_cast<std::uint32_t>(ids), static_cast<std::uint32_t>(slots), 2,
                static_cast<std::uint32_t>(pieces)};
    // No token represents the whole text.
    set_pooling(pooling == StatePooling::automatic ? StatePooling::mean : pooling);
    const Weights all(checkpoint);
    const Weights embed = all / "embed";
    const std::int64_t width = sizes().width;
    pieces_ = parameters.add(embed, "pieces.weight", {ids, piece_width});
    project_ = parameters.add(embed, "project.weight", {width, piece_width});
    slots_ = parameters.add(embed, "slot.weight", {slots, width});
    piece_indices_ = parameters.add(embed, "piece_index.weight", {pieces, width});
    segments_ = parameters.add(embed, "segment.weight", {2, width});
    condition_ = parameters.add(plain_condition(config, embed, width));
    embedding_norm_ = read_norm(embed, "norm", sizes(), parameters);
    add_layers(all / "layers", kBoundedNames, NormPlace::before, parameters);
    norm_ = read_norm(all, "norm", sizes(), parameters);
    add_head(checkpoint, all, outputs, parameters);
  }

 private:
  /// That of use without a reach, which is the last row, and of wander 0.
  static at::Tensor plain_condition(const Config& config, const Weights& embed, std::int64_t width) {
    const auto count = [](const std::vector<double>& knots) {
      return static_cast<std::int64_t>(knots.size());
    };
    const at::Tensor condition =
        embed.tensor("reach.weight", {count(config.numbers("reach_knots")) + 1, width})[-1];
    const std::int64_t wander_knots = count(read_wander_knots(config));
    return wander_knots > 0 ? condition + embed.tensor("wander.weight", {wander_knots, width})[0] : condition;
  }

  at::Tensor embedded(const Leaves& leaves, const Inputs& inputs, Dropout& dropout) const override {
    const at::Tensor x = at::linear(at::embedding(leaves[pieces_], inputs.ids), leaves[project_]) +
                         at::embedding(leaves[slots_], inputs.positions) +
                         at::embedding(leaves[piece_indices_], inputs.pieces) +
                         at::embedding(leaves[segments_], inputs.segments) + leaves[condition_];
    return dropout(embedding_norm_(leaves, x));
  }
  at::Tensor finished(const Leaves& leaves, const at::Tensor& states) const override {
    return norm_(leaves, states);
  }

  Leaf pieces_ = 0;
  Leaf project_ = 0;
  Leaf slots_ = 0;
  Leaf piece_indices_ = 0;
  Leaf segments_ = 0;
  Leaf condition_ = 0;
  TrainableNorm embedding_norm_;
  TrainableNorm norm_;
};

}  // namespace

std::unique_ptr<const Graph> make_transformer_graph(const Checkpoint& checkpoint, StatePooling pooling,
                                                    std::int64_t outputs, ParameterList& parameters) {
  const std::string type = checkpoint.config().text("model_type");
  if (type == "sotto-bounded-mlm")
    return std::make_unique<const TrainableBounded>(checkpoint, pooling, outputs, parameters);
  if (type == "bert" || type == "roberta" || type == "distilbert")
    return std::make_unique<const TrainableBert>(checkpoint, pooling, outputs, parameters);
  checkpoint.config().refuse_value(
      "model_type", "bert, roberta, distilbert or sotto-bounded-mlm for a transformer that learns");
}

}  // namespace sotto::lm
