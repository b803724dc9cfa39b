// T5 and Flan-T5: an encoder reads a text, a decoder answers it. Positions enter as biases by bucketed
// distance.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lm/torch/batches.hpp"
#include "lm/torch/causal.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"

namespace sotto::lm {
namespace {

struct T5Sizes {
  std::int64_t words;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t head_width;
  std::int64_t inner;
  std::int64_t encoder_layers;
  std::int64_t decoder_layers;
  std::int64_t positions;
  std::int64_t start;
  std::int64_t buckets;
  std::int64_t farthest;
  double epsilon;
  bool gated;
  Activation activation;
};

T5Sizes read_t5_sizes(const Config& config) {
  T5Sizes sizes{};
  sizes.words = config.whole("vocab_size", 1, kLargestVocabulary);
  sizes.width = config.whole("d_model", 1, kLargestWidth);
  sizes.heads = config.whole("num_heads", 1, kLargestWidth);
  sizes.head_width = config.whole("d_kv", 1, kLargestWidth);
  sizes.inner = config.whole("d_ff", 1, kLargestWidth);
  sizes.encoder_layers = config.whole("num_layers", 1, kMostLayers);
  sizes.decoder_layers = config.whole("num_decoder_layers", 1, kMostLayers, sizes.encoder_layers);
  sizes.positions = config.whole("n_positions", 1, kMostPositions, 512);
  sizes.start = config.whole("decoder_start_token_id", 0, sizes.words - 1,
                             config.whole("pad_token_id", 0, sizes.words - 1, 0));
  sizes.buckets = config.whole("relative_attention_num_buckets", 4, 1 << 16, 32);
  sizes.farthest = config.whole("relative_attention_max_distance", sizes.buckets / 2 + 1, 1 << 20, 128);
  sizes.epsilon = config.number("layer_norm_epsilon", 0, 1, 1e-6);
  const std::string projection = config.text("feed_forward_proj", "relu");
  sizes.gated = projection.starts_with("gated-");
  if (projection != "relu" && projection != "gated-gelu" && projection != "gated-silu")
    config.refuse_value("feed_forward_proj", "relu, gated-gelu or gated-silu");
  sizes.activation = projection == "relu"         ? Activation::relu
                     : projection == "gated-gelu" ? Activation::gelu_tanh
                                                  : Activation::silu;
  return sizes;
}

// One bucket per small distance, logarithmically fewer for larger ones.
std::int64_t bucket_of(std::int64_t distance, std::int64_t buckets, std::int64_t farthest, bool both_ways) {
  std::int64_t base = 0;
  if (both_ways) {
    buckets /= 2;
    if (distance > 0) base = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max<std::int64_t>(-distance, 0);
  }
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return base + distance;
  // In single precision, as in the reference: the edges of the buckets must not move.
  const float share =
      std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(farthest) / static_cast<double>(exact)));
  const auto step = static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
  return base + std::min(exact + step, buckets - 1);
}

// Biases by distance, shared by a stack's layers.
class RelativeBias {
 public:
  RelativeBias(const Weights& weights, const T5Sizes& sizes, bool both_ways)
      : table_(weights.tensor("relative_attention_bias.weight", {sizes.buckets, sizes.heads})),
        buckets_(sizes.buckets),
        farthest_(sizes.farthest),
        both_ways_(both_ways) {}

  /// [1, heads, queries, keys]; the queries are the last of the keys' positions.
  at::Tensor operator()(std::int64_t queries, std::int64_t keys) const {
    std::vector<std::int64_t> numbers;
    numbers.reserve(static_cast<std::size_t>(queries * keys));
    for (std::int64_t q = keys - queries; q < keys; ++q)
      for (std::int64_t k = 0; k < keys; ++k)
        numbers.push_back(bucket_of(k - q, buckets_, farthest_, both_ways_));
    const at::Tensor buckets = at::tensor(numbers, at::kLong).view({queries, keys}).to(table_.device());
    return at::embedding(table_, buckets).permute({2, 0, 1}).unsqueeze(0);
  }

 private:
  at::Tensor table_;
  std::int64_t buckets_;
  std::int64_t farthest_;
  bool both_ways_;
};

class T5Attention {
 public:
  T5Attention(const Weights& weights, const T5Sizes& sizes)
      : heads_(sizes.heads),
        query_(weights, "q", sizes.width, sizes.heads * sizes.head_width, Bias::no),
        key_(weights, "k", sizes.width, sizes.heads * sizes.head_width, Bias::no),
        value_(weights, "v", sizes.width, sizes.heads * sizes.head_width, Bias::no),
        output_(weights, "o", sizes.heads * sizes.head_width, sizes.width, Bias::no) {}

  void remember(const at::Tensor& x, KeyValueCache& cache) const {
    cache.append(split_heads(key_(x), heads_), split_heads(value_(x), heads_));
  }
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& bias, const KeyValueCache& cache) const {
    return output_(join_heads(attend(split_heads(query_(x), heads_), cache.keys(), cache.values(), bias, 1)));
  }

 private:
  std::int64_t heads_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
};

class T5FeedForward {
 public:
  T5FeedForward(const Weights& weights, const T5Sizes& sizes)
      : activation_(sizes.activation),
        up_(weights, sizes.gated ? "wi_0" : "wi", sizes.width, sizes.inner, Bias::no),
        down_(weights, "wo", sizes.inner, sizes.width, Bias::no),
        gated_(sizes.gated) {
    if (gated_) gate_ = Linear(weights, "wi_1", sizes.width, sizes.inner, Bias::no);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    at::Tensor inner = activate(activation_, up_(x));
    if (gated_) inner.mul_(gate_(x));
    return down_(inner);
  }

 private:
  Activation activation_;
  Linear up_;
  Linear down_;
  Linear gate_;
  bool gated_;
};

// A layer of the encoder or, with `crossing`, of the decoder, which also attends to the encoder's output.
class T5Layer {
 public:
  T5Layer(const Weights& weights, const T5Sizes& sizes, bool crossing)
      : self_norm_(weights, "0.layer_norm", sizes.width, sizes.epsilon, Bias::no),
        self_(weights / "0.SelfAttention", sizes),
        inner_norm_(weights, crossing ? "2.layer_norm" : "1.layer_norm", sizes.width, sizes.epsilon,
                    Bias::no),
        inner_(weights / (crossing ? "2.DenseReluDense" : "1.DenseReluDense"), sizes) {
    if (!crossing) return;
    cross_norm_ = Norm(weights, "1.layer_norm", sizes.width, sizes.epsilon, Bias::no);
    cross_.emplace(weights / "1.EncDecAttention", sizes);
  }

  void remember_text(const at::Tensor& text, KeyValueCache& cache) const { cross_->remember(text, cache); }

  at::Tensor operator()(at::Tensor x, const at::Tensor& bias, KeyValueCache& own,
                        const at::Tensor& text_mask = {}, const KeyValueCache* text = nullptr) const {
    const at::Tensor normed = self_norm_(x);
    self_.remember(normed, own);
    x = self_(normed, bias, own).add_(x);
    if (text != nullptr) x = (*cross_)(cross_norm_(x), text_mask, *text).add_(x);
    return inner_(inner_norm_(x)).add_(x);
  }

 private:
  Norm self_norm_;
  T5Attention self_;
  Norm cross_norm_;
  std::optional<T5Attention> cross_;
  Norm inner_norm_;
  T5FeedForward inner_;
};

class T5 final : public CausalModel, public std::enable_shared_from_this<T5> {
 public:
  explicit T5(const Checkpoint& checkpoint)
      : runtime_(checkpoint.runtime()),
        sizes_(read_t5_sizes(checkpoint.config())),
        encoder_bias_(Weights(checkpoint) / "encoder.block.0.layer.0.SelfAttention", sizes_, true),
        decoder_bias_(Weights(checkpoint) / "decoder.block.0.layer.0.SelfAttention", sizes_, false) {
    const Weights weights(checkpoint);
    const char* const words = weights.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight";
    words_ = weights.tensor(words, {sizes_.words, sizes_.width});
    for (std::int64_t i = 0; i < sizes_.encoder_layers; ++i)
      encoder_.emplace_back(weights / "encoder.block" / i / "layer", sizes_, false);
    for (std::int64_t i = 0; i < sizes_.decoder_layers; ++i)
      decoder_.emplace_back(weights / "decoder.block" / i / "layer", sizes_, true);
    encoder_norm_ = Norm(weights, "encoder.final_layer_norm", sizes_.width, sizes_.epsilon, Bias::no);
    decoder_norm_ = Norm(weights, "decoder.final_layer_norm", sizes_.width, sizes_.epsilon, Bias::no);
    const bool tied = checkpoint.config().flag("tie_word_embeddings", true);
    head_ = Linear::from_matrix(weights, tied ? words : "lm_head.weight", sizes_.width, sizes_.words, {});
    if (tied) head_scale_ = 1 / std::sqrt(static_cast<double>(sizes_.width));
  }

  std::uint32_t output_size() const override { return static_cast<std::uint32_t>(sizes_.words); }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(sizes_.positions); }
  bool answers() const override { return true; }
  Result<void> score(std::span<const Sequence>, std::span<float>) const override {
    return fail(Errc::invalid_argument,
                "a T5 model answers texts and gives no probability to one alone; use a "
                "GPT-2 model for perplexity");
  }
  Result<std::unique_ptr<Generation>> begin(std::span<const Sequence> prompts,
                                            std::span<float> logits) const override;

  const Runtime& runtime() const { return runtime_; }
  InputLimits limits() const { return {sizes_.words, sizes_.positions}; }
  const std::vector<T5Layer>& decoder() const { return decoder_; }
  std::int64_t start() const { return sizes_.start; }

  at::Tensor encode(const Inputs& inputs) const {
    at::Tensor x = at::embedding(words_, inputs.ids);
    const std::int64_t length = x.size(1);
    at::Tensor bias = encoder_bias_(length, length);
    if (inputs.mask.defined()) bias = bias + inputs.mask;
    for (const T5Layer& layer : encoder_) {
      KeyValueCache own;
      x = layer(x, bias, own);
    }
    return encoder_norm_(x);
  }

  /// The logits after another token, [batch, words].
  at::Tensor step(const at::Tensor& tokens, std::vector<KeyValueCache>& own,
                  const std::vector<KeyValueCache>& text, const at::Tensor& text_mask) const {
    at::Tensor x = at::embedding(words_, tokens.unsqueeze(1));
    const at::Tensor bias = decoder_bias_(1, own[0].length() + 1);
    for (std::size_t i = 0; i < decoder_.size(); ++i) x = decoder_[i](x, bias, own[i], text_mask, &text[i]);
    return head_(decoder_norm_(x).squeeze(1).mul_(head_scale_));
  }

 private:
  Runtime runtime_;
  T5Sizes sizes_;
  RelativeBias encoder_bias_;
  RelativeBias decoder_bias_;
  at::Tensor words_;
  std::vector<T5Layer> encoder_;
  std::vector<T5Layer> decoder_;
  Norm encoder_norm_;
  Norm decoder_norm_;
  Linear head_;
  double head_scale_ = 1;
};

class T5Generation final : public Generation {
 public:
  T5Generation(std::shared_ptr<const T5> model, const Inputs& inputs)
      : model_(std::move(model)), own_(model_->decoder().size()), text_(own_.size()), mask_(inputs.mask) {
    const at::Tensor text = model_->encode(inputs);
    batch_ = static_cast<std::size_t>(text.size(0));
    for (std::size_t i = 0; i < text_.size(); ++i) model_->decoder()[i].remember_text(text, text_[i]);
  }

  void step(const std::vector<std::int64_t>& tokens, std::span<float> logits) {
    copy_rows(model_->step(to_device(tokens, model_->runtime()), own_, text_, mask_), logits);
  }

  Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) override {
    return torch_guarded([&] {
      check_stop(model_->runtime());
      const ThreadSpread spread(model_->runtime().threads);
      check_tokens(tokens, batch_, model_->limits(), logits.size());
      if (own_[0].length() >= model_->max_positions())
        refuse(Errc::limit,
               fmt::format("the answers have {} tokens, the most the model takes", own_[0].length()));
      step({tokens.begin(), tokens.end()}, logits);
    });
  }

 private:
  std::shared_ptr<const T5> model_;
  std::vector<KeyValueCache> own_;
  std::vector<KeyValueCache> text_;
  at::Tensor mask_;
  std::size_t batch_ = 0;
};

Result<std::unique_ptr<Generation>> T5::begin(std::span<const Sequence> prompts,
                                              std::span<float> logits) const {
  return torch_guarded([&]() -> std::unique_ptr<Generation> {
    const ThreadSpread spread(runtime_.threads);
    auto generation = std::make_unique<T5Generation>(
        shared_from_this(), read_prompts(prompts, limits(), logits.size(), runtime_));
    generation->step(std::vector<std::int64_t>(prompts.size(), sizes_.start), logits);
    return generation;
  });
}

}  // namespace

std::shared_ptr<const CausalModel> make_t5(const Checkpoint& checkpoint) {
  return std::make_shared<const T5>(checkpoint);
}

}  // namespace sotto::lm
