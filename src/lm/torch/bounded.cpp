// The bounded masked model. Its input has a text twice, as it was and as it is being rewritten, distinguished
// by segment and sharing positions. Words are read as pieces at one position; the outputs are scores of whole
// words, which the head's law keeps in a fixed range (BoundedHead). The model is conditioned on the reach of
// a draw; without one it is an ordinary masked model, and its scores are logits.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lm/torch/failure.hpp"
#include "lm/torch/layers.hpp"
#include "lm/torch/masked.hpp"

namespace sotto::lm {
namespace {

class BoundedLayer {
 public:
  BoundedLayer(const Weights& weights, const BoundedSizes& sizes)
      : heads_(sizes.heads),
        norm1_(weights, "norm1", sizes.width, sizes.epsilon),
        attention_(weights, "attention.qkv", sizes.width, 3 * sizes.width),
        output_(weights, "attention.out", sizes.width, sizes.width),
        norm2_(weights, "norm2", sizes.width, sizes.epsilon),
        up_(weights, "ffn.up", sizes.width, sizes.inner),
        down_(weights, "ffn.down", sizes.inner, sizes.width) {}

  at::Tensor operator()(const Inputs& inputs, const at::Tensor& x, const at::Tensor& at) const {
    const std::vector<at::Tensor> parts = attention_(norm1_(x)).chunk(3, -1);
    const at::Tensor query = at.defined() ? pick(inputs, parts[0], at) : parts[0];
    const at::Tensor context = attend_within(inputs, query, parts[1], parts[2], heads_);
    const at::Tensor attended = output_(context).add_(at.defined() ? pick(inputs, x, at) : x);
    return down_(activate(Activation::gelu, up_(norm2_(attended)))).add_(attended);
  }

 private:
  std::int64_t heads_;
  Norm norm1_;
  Linear attention_;
  Linear output_;
  Norm norm2_;
  Linear up_;
  Linear down_;
};

// The weights, shared by models at different reaches.
struct BoundedNetwork {
  explicit BoundedNetwork(const Checkpoint& checkpoint);

  at::Tensor scores(const Inputs& inputs, const at::Tensor& at, const at::Tensor& condition) const {
    at::Tensor x = project(at::embedding(pieces, inputs.ids));
    x.add_(at::embedding(slots, inputs.positions)).add_(at::embedding(piece_indices, inputs.pieces));
    x = embedding_norm(x.add_(at::embedding(segments, inputs.segments)).add_(condition));
    for (std::size_t i = 0; i < layers.size(); ++i)
      x = layers[i](inputs, x, i + 1 == layers.size() ? at : at::Tensor());
    return head_words(head_norm(activate(Activation::gelu, head_dense(norm(x)))));
  }

  Runtime runtime;
  BoundedSizes sizes;
  at::Tensor pieces;
  Linear project;
  at::Tensor slots;
  at::Tensor piece_indices;
  at::Tensor segments;
  at::Tensor conditions;  // one row per knot, and a last one for use without a reach
  at::Tensor base_measures;
  at::Tensor log_totals;
  at::Tensor sharpness;  // for possible output words, and for others
  Norm embedding_norm;
  std::vector<BoundedLayer> layers;
  Norm norm;
  Linear head_dense;
  Norm head_norm;
  Linear head_words;
};

BoundedNetwork::BoundedNetwork(const Checkpoint& checkpoint)
    : runtime(checkpoint.runtime()), sizes(read_bounded_sizes(checkpoint.config())) {
  const InputLimits& limits = sizes.limits;
  const auto knot_count = static_cast<std::int64_t>(sizes.knots.size());
  const Weights weights(checkpoint);
  const Weights embed = weights / "embed";
  pieces = embed.tensor("pieces.weight", {limits.ids, sizes.piece_width});
  project = Linear(embed, "project", sizes.piece_width, sizes.width, Bias::no);
  slots = embed.tensor("slot.weight", {limits.positions, sizes.width});
  piece_indices = embed.tensor("piece_index.weight", {limits.pieces, sizes.width});
  segments = embed.tensor("segment.weight", {limits.segments, sizes.width});
  conditions = embed.tensor("reach.weight", {knot_count + 1, sizes.width});
  embedding_norm = Norm(embed, "norm", sizes.width, sizes.epsilon);
  for (std::int64_t i = 0; i < sizes.layers; ++i) layers.emplace_back(weights / "layers" / i, sizes);
  norm = Norm(weights, "norm", sizes.width, sizes.epsilon);
  head_dense = Linear(weights, "head.dense", sizes.width, sizes.head_width);
  head_norm = Norm(weights, "head.norm", sizes.head_width, sizes.epsilon);
  head_words = Linear(weights, "head.words", sizes.head_width, sizes.words);
  base_measures = weights.tensor("base_measure.weight", {knot_count, sizes.words});
  log_totals = weights.tensor("log_total", {knot_count});
  sharpness = weights.tensor("sharpness", {2, knot_count});
}

at::Tensor knot_weights(const std::vector<double>& knots, double reach, const at::Tensor& like) {
  const KnotShare at = share_of_knots(knots, reach);
  at::Tensor weights = at::zeros({static_cast<std::int64_t>(knots.size())}, at::kFloat);
  const auto right = static_cast<std::int64_t>(at.right);
  weights[right - 1] = 1 - at.share;
  weights[right] = at.share;
  return weights.to(like.device());
}

// What a model answers with: logits within the range, or the scores they are computed from.
enum class Answers { logits, scores };

class BoundedMaskedModel final : public BatchedMaskedModel {
 public:
  explicit BoundedMaskedModel(std::shared_ptr<const BoundedNetwork> network)
      : BatchedMaskedModel(network->runtime, network->sizes.limits, network->sizes.words),
        network_(std::move(network)),
        condition_(network_->conditions[-1]) {}

  BoundedMaskedModel(std::shared_ptr<const BoundedNetwork> network, double reach, Answers answers)
      : BoundedMaskedModel(std::move(network)) {
    answers_ = answers;
    const at::Tensor weights = knot_weights(network_->sizes.knots, reach, network_->conditions);
    condition_ = at::matmul(weights, network_->conditions.narrow(0, 0, weights.size(0)));
    const at::Tensor base = at::matmul(weights, network_->base_measures).log_softmax(-1).to(at::kCPU);
    log_base_.assign(base.data_ptr<float>(), base.data_ptr<float>() + base.numel());
    head_ = std::make_unique<BoundedHead>(
        head_at_reach(network_->sizes, reach,
                      {at::dot(weights, network_->log_totals).item<float>(),
                       at::dot(weights, network_->sharpness[0]).item<float>(),
                       at::dot(weights, network_->sharpness[1]).item<float>()}));
  }

  std::optional<LogitBounds> bounds() const override {
    return LogitBounds{0, static_cast<float>(network_->sizes.range), true};
  }
  std::span<const float> log_base() const override { return log_base_; }
  const BoundedHead* bounded_head() const override { return head_.get(); }

  // Half of ε: the normalizer of an exponential mechanism may change as much as the weights.
  Result<std::shared_ptr<const MaskedModel>> at_epsilon(double epsilon) const override {
    return told("an ε", epsilon, epsilon / 2, Answers::logits);
  }
  Result<std::shared_ptr<const MaskedModel>> at_reach(double reach) const override {
    return told("a reach", reach, reach, Answers::scores);
  }

 protected:
  at::Tensor answer(const Inputs& inputs, const at::Tensor& at) const override {
    at::Tensor scores = network_->scores(inputs, at, condition_);
    if (answers_ == Answers::scores) return scores;
    return scores.mul_(head_->slope).sigmoid_().mul_(head_->range);
  }

 private:
  Result<std::shared_ptr<const MaskedModel>> told(const char* what, double given, double reach,
                                                  Answers answers) const {
    if (!(given > 0) || !std::isfinite(given))
      return fail(Errc::invalid_argument,
                  fmt::format("{} of {} is not allowed; give a number above 0", what, given));
    return torch_guarded([&]() -> std::shared_ptr<const MaskedModel> {
      return std::make_shared<const BoundedMaskedModel>(network_, reach, answers);
    });
  }

  std::shared_ptr<const BoundedNetwork> network_;
  at::Tensor condition_;
  Answers answers_ = Answers::scores;
  std::vector<float> log_base_;
  std::unique_ptr<BoundedHead> head_;  // null in a model as opened
};

}  // namespace

std::shared_ptr<const MaskedModel> make_bounded_masked(const Checkpoint& checkpoint) {
  return std::make_shared<const BoundedMaskedModel>(std::make_shared<const BoundedNetwork>(checkpoint));
}

}  // namespace sotto::lm
