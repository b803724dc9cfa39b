#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "lm/torch/batches.hpp"
#include "lm/torch/causal.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"

namespace sotto::lm {
namespace {

// Positions whose logits are computed together, because a row of them takes 200 kB.
constexpr std::int64_t kScoredRows = 128;

class Gpt2Layer {
 public:
  Gpt2Layer(const Weights& weights, const Gpt2Sizes& sizes)
      : heads_(sizes.heads),
        activation_(sizes.activation),
        norm1_(weights, "ln_1", sizes.width, sizes.epsilon),
        attention_(weights, "attn.c_attn", sizes.width, 3 * sizes.width, Bias::yes, Layout::inputs_first),
        attention_output_(weights, "attn.c_proj", sizes.width, sizes.width, Bias::yes, Layout::inputs_first),
        norm2_(weights, "ln_2", sizes.width, sizes.epsilon),
        up_(weights, "mlp.c_fc", sizes.width, sizes.inner, Bias::yes, Layout::inputs_first),
        down_(weights, "mlp.c_proj", sizes.inner, sizes.width, Bias::yes, Layout::inputs_first) {}

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& mask, KeyValueCache& cache) const {
    const std::vector<at::Tensor> parts = attention_(norm1_(x)).chunk(3, -1);
    cache.append(split_heads(parts[1], heads_), split_heads(parts[2], heads_));
    const std::int64_t head_width = x.size(2) / heads_;
    const double scale = 1 / std::sqrt(static_cast<double>(head_width));
    const at::Tensor context =
        join_heads(attend(split_heads(parts[0], heads_), cache.keys(), cache.values(), mask, scale));
    const at::Tensor attended = attention_output_(context).add_(x);
    return down_(activate(activation_, up_(norm2_(attended)))).add_(attended);
  }

 private:
  std::int64_t heads_;
  Activation activation_;
  Norm norm1_;
  Linear attention_;
  Linear attention_output_;
  Norm norm2_;
  Linear up_;
  Linear down_;
};

// [length, length]: −∞ above the diagonal, 0 elsewhere.
at::Tensor causal_mask(std::int64_t length, const at::Tensor& like) {
  return at::full({length, length}, -std::numeric_limits<float>::infinity(), like.options().dtype(at::kFloat))
      .triu_(1);
}

class Gpt2 final : public CausalModel, public std::enable_shared_from_this<Gpt2> {
 public:
  explicit Gpt2(const Checkpoint& checkpoint)
      : runtime_(checkpoint.runtime()), sizes_(read_gpt2_sizes(checkpoint.config())) {
    const Weights all(checkpoint);
    const Weights weights = all.below_if("transformer", "wte.weight");
    words_ = weights.tensor("wte.weight", {sizes_.words, sizes_.width});
    positions_ = weights.tensor("wpe.weight", {sizes_.positions, sizes_.width});
    for (std::int64_t i = 0; i < sizes_.layers; ++i) layers_.emplace_back(weights / "h" / i, sizes_);
    norm_ = Norm(weights, "ln_f", sizes_.width, sizes_.epsilon);
    head_ = Linear::from_matrix(sizes_.tied ? weights : all, sizes_.tied ? "wte.weight" : "lm_head.weight",
                                sizes_.width, sizes_.words, {});
  }

  std::uint32_t output_size() const override { return static_cast<std::uint32_t>(sizes_.words); }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(sizes_.positions); }
  bool answers() const override { return false; }
  Result<void> score(std::span<const Sequence> sequences, std::span<float> out) const override;
  Result<std::unique_ptr<Generation>> begin(std::span<const Sequence> prompts,
                                            std::span<float> logits) const override;

  const Runtime& runtime() const { return runtime_; }
  InputLimits limits() const { return {sizes_.words, sizes_.positions}; }
  std::size_t layer_count() const { return layers_.size(); }
  at::Tensor logits(const at::Tensor& states) const { return head_(states); }
  at::Tensor states(const at::Tensor& ids, const at::Tensor& positions, const at::Tensor& mask,
                    std::vector<KeyValueCache>& caches) const {
    at::Tensor x = at::embedding(words_, ids).add_(at::embedding(positions_, positions));
    for (std::size_t i = 0; i < layers_.size(); ++i) x = layers_[i](x, mask, caches[i]);
    return norm_(x);
  }
  at::Tensor prompt_states(const Inputs& inputs, std::vector<KeyValueCache>& caches) const {
    at::Tensor mask = causal_mask(inputs.ids.size(1), words_);
    if (inputs.mask.defined()) mask = mask + inputs.mask;
    return states(inputs.ids, inputs.positions, mask, caches);
  }

 private:
  void score_batch(const Inputs& inputs, std::span<const std::uint32_t> members,
                   std::span<const std::size_t> begins, std::span<float> out) const;

  Runtime runtime_;
  Gpt2Sizes sizes_;
  at::Tensor words_;
  at::Tensor positions_;
  std::vector<Gpt2Layer> layers_;
  Norm norm_;
  Linear head_;
};

Result<void> Gpt2::score(std::span<const Sequence> sequences, std::span<float> out) const {
  return torch_guarded([&] {
    check_sequences(sequences, limits());
    std::vector<std::size_t> begins;
    std::size_t total = 0;
    for (const Sequence& sequence : sequences) {
      begins.push_back(total);
      total += sequence.ids.size() - 1;
    }
    if (out.size() != total)
      refuse(Errc::invalid_argument, fmt::format("the sequences have {} scores, not {}", total, out.size()));
    for_each_batch(sequences, runtime_, Packing::padded,
                   [&](std::span<const std::uint32_t> members, const Inputs& inputs) {
                     score_batch(inputs, members, begins, out);
                   });
  });
}

void Gpt2::score_batch(const Inputs& inputs, std::span<const std::uint32_t> members,
                       std::span<const std::size_t> begins, std::span<float> out) const {
  const std::int64_t length = inputs.ids.size(1);
  if (length < 2) return;
  std::vector<KeyValueCache> caches(layers_.size());
  const at::Tensor states =
      prompt_states(inputs, caches).narrow(1, 0, length - 1).reshape({-1, sizes_.width});
  const at::Tensor next = inputs.ids.narrow(1, 1, length - 1).reshape({-1, 1});
  const at::Tensor scores = at::empty({states.size(0)}, at::kFloat);
  for (std::int64_t row = 0; row < states.size(0); row += kScoredRows) {
    const std::int64_t rows = std::min(kScoredRows, states.size(0) - row);
    const at::Tensor logits = head_(states.narrow(0, row, rows));
    scores.narrow(0, row, rows)
        .copy_((logits.gather(1, next.narrow(0, row, rows)).squeeze(1) - logits.logsumexp(1)));
  }
  const at::Tensor lengths = inputs.lengths.to(at::kCPU);
  for (std::size_t i = 0; i < members.size(); ++i)
    std::copy_n(scores.data_ptr<float>() + static_cast<std::int64_t>(i) * (length - 1),
                lengths.data_ptr<std::int64_t>()[i] - 1, out.data() + begins[members[i]]);
}

class Gpt2Generation final : public Generation {
 public:
  Gpt2Generation(std::shared_ptr<const Gpt2> model, const Inputs& inputs)
      : model_(std::move(model)),
        caches_(model_->layer_count()),
        lengths_(inputs.lengths),
        mask_(inputs.mask) {
    longest_ = inputs.ids.size(1);
    const at::Tensor states = model_->prompt_states(inputs, caches_);
    first_ = model_->logits(pick(states, lengths_ - 1).squeeze(1));
  }

  at::Tensor first() const { return first_; }

  Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) override {
    return torch_guarded([&] {
      check_stop(model_->runtime());
      const ThreadSpread spread(model_->runtime().threads);
      const std::int64_t batch = lengths_.size(0);
      check_tokens(tokens, static_cast<std::size_t>(batch), model_->limits(), logits.size());
      if (longest_ >= model_->max_positions())
        refuse(Errc::limit,
               fmt::format("the longest text has {} tokens, the most the model takes", longest_));
      const std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
      if (mask_.defined()) mask_ = at::cat({mask_, at::zeros({batch, 1, 1, 1}, mask_.options())}, 3);
      const at::Tensor states = model_->states(to_device(ids, model_->runtime()).unsqueeze(1),
                                               lengths_.unsqueeze(1), mask_, caches_);
      lengths_ = lengths_ + 1;
      ++longest_;
      copy_rows(model_->logits(states.squeeze(1)), logits);
    });
  }

 private:
  std::shared_ptr<const Gpt2> model_;
  std::vector<KeyValueCache> caches_;
  at::Tensor lengths_;
  at::Tensor mask_;
  at::Tensor first_;
  std::int64_t longest_ = 0;
};

Result<std::unique_ptr<Generation>> Gpt2::begin(std::span<const Sequence> prompts,
                                                std::span<float> logits) const {
  return torch_guarded([&]() -> std::unique_ptr<Generation> {
    const ThreadSpread spread(runtime_.threads);
    auto generation = std::make_unique<Gpt2Generation>(
        shared_from_this(), read_prompts(prompts, limits(), logits.size(), runtime_));
    copy_rows(generation->first(), logits);
    return generation;
  });
}

}  // namespace

std::shared_ptr<const CausalModel> make_gpt2(const Checkpoint& checkpoint) {
  return std::make_shared<const Gpt2>(checkpoint);
}

}  // namespace sotto::lm
