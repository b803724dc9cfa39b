// The bounded masked model. Its input has a text twice, as it was and as it is being rewritten, distinguished
// by segment and sharing positions. Words are read as pieces at one position; the outputs are scores of whole
// words, which the head's law keeps in a fixed range (BoundedHead). The model is conditioned on the reach of
// a draw and, from format version 2 on, on its wander; without a reach it is an ordinary masked model, and
// its scores are logits.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lm/own_words.hpp"
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

  at::Tensor states(const Inputs& inputs, const at::Tensor& at, const at::Tensor& condition) const {
    at::Tensor x = project(at::embedding(pieces, inputs.ids));
    x.add_(at::embedding(slots, inputs.positions)).add_(at::embedding(piece_indices, inputs.pieces));
    x = embedding_norm(x.add_(at::embedding(segments, inputs.segments)).add_(condition));
    for (std::size_t i = 0; i < layers.size(); ++i)
      x = layers[i](inputs, x, i + 1 == layers.size() ? at : at::Tensor());
    return norm(x);
  }
  at::Tensor scores(const at::Tensor& states) const {
    return head_words(head_norm(activate(Activation::gelu, head_dense(states))));
  }

  Runtime runtime;
  BoundedSizes sizes;
  at::Tensor pieces;
  Linear project;
  at::Tensor slots;
  at::Tensor piece_indices;
  at::Tensor segments;
  at::Tensor conditions;         // one row per knot, and a last one for use without a reach
  at::Tensor wander_conditions;  // one row per knot of the wander, of zeros in format version 1
  OwnWords own_words;
  at::Tensor base_measures;
  at::Tensor log_totals;  // the same
  at::Tensor sharpness;   // for possible output words, and for others
  Norm embedding_norm;
  std::vector<BoundedLayer> layers;
  Norm norm;
  Linear head_dense;
  Norm head_norm;
  Linear head_words;
};

BoundedNetwork::BoundedNetwork(const Checkpoint& checkpoint)
    : runtime(checkpoint.runtime()),
      sizes(read_bounded_sizes(checkpoint.config())),
      own_words(checkpoint, sizes) {
  const InputLimits& limits = sizes.limits;
  const auto knot_count = static_cast<std::int64_t>(sizes.knots.size());
  const auto wander_count = static_cast<std::int64_t>(sizes.wander_knots.size());
  const Weights weights(checkpoint);
  const Weights embed = weights / "embed";
  pieces = embed.tensor("pieces.weight", {limits.ids, sizes.piece_width});
  project = Linear(embed, "project", sizes.piece_width, sizes.width, Bias::no);
  slots = embed.tensor("slot.weight", {limits.positions, sizes.width});
  piece_indices = embed.tensor("piece_index.weight", {limits.pieces, sizes.width});
  segments = embed.tensor("segment.weight", {limits.segments, sizes.width});
  conditions = embed.tensor("reach.weight", {knot_count + 1, sizes.width});
  wander_conditions = wander_count > 0 ? embed.tensor("wander.weight", {wander_count, sizes.width})
                                       : at::zeros({1, sizes.width}, conditions.options());
  embedding_norm = Norm(embed, "norm", sizes.width, sizes.epsilon);
  for (std::int64_t i = 0; i < sizes.layers; ++i) layers.emplace_back(weights / "layers" / i, sizes);
  norm = Norm(weights, "norm", sizes.width, sizes.epsilon);
  head_dense = Linear(weights, "head.dense", sizes.width, sizes.head_width);
  head_norm = Norm(weights, "head.norm", sizes.head_width, sizes.epsilon);
  head_words = Linear(weights, "head.words", sizes.head_width, sizes.words);
  base_measures = weights.tensor("base_measure.weight", {knot_count, sizes.words});
  log_totals = wander_count > 0 ? weights.tensor("log_total", {wander_count, knot_count})
                                : weights.tensor("log_total", {knot_count}).unsqueeze(0);
  sharpness = weights.tensor("sharpness", {2, knot_count});
}

at::Tensor knot_weights(std::size_t knots, const KnotShare& at, const at::Tensor& like) {
  at::Tensor weights = at::zeros({static_cast<std::int64_t>(knots)}, at::kFloat);
  const auto right = static_cast<std::int64_t>(at.right);
  weights[right - 1] = 1 - at.share;
  weights[right] = at.share;
  return weights.to(like.device());
}

class BoundedMaskedModel final : public BatchedMaskedModel {
 public:
  explicit BoundedMaskedModel(std::shared_ptr<const BoundedNetwork> network)
      : BatchedMaskedModel(network->runtime, network->sizes.limits, network->sizes.words),
        network_(std::move(network)),
        condition_(network_->conditions[-1] + network_->wander_conditions[0]) {}

  BoundedMaskedModel(std::shared_ptr<const BoundedNetwork> network, double reach, double wander)
      : BoundedMaskedModel(std::move(network)) {
    const BoundedSizes& sizes = network_->sizes;
    const at::Tensor weights =
        knot_weights(sizes.knots.size(), share_of_knots(sizes.knots, reach), condition_);
    const at::Tensor wander_weights = wander_weights_at(wander);
    condition_ = at::matmul(weights, network_->conditions.narrow(0, 0, weights.size(0))) +
                 at::matmul(wander_weights, network_->wander_conditions);
    own_penalty_ = network_->own_words.penalties(wander);
    const at::Tensor base = at::matmul(weights, network_->base_measures).log_softmax(-1).to(at::kCPU);
    log_base_.assign(base.data_ptr<float>(), base.data_ptr<float>() + base.numel());
    head_ = std::make_unique<BoundedHead>(
        head_at_reach(sizes, reach,
                      {at::dot(at::matmul(wander_weights, network_->log_totals), weights).item<float>(),
                       at::dot(weights, network_->sharpness[0]).item<float>(),
                       at::dot(weights, network_->sharpness[1]).item<float>()}));
  }

  std::optional<LogitBounds> bounds() const override {
    return LogitBounds{0, static_cast<float>(network_->sizes.range), true};
  }
  std::span<const float> log_base() const override { return log_base_; }
  const BoundedHead* bounded_head() const override { return head_.get(); }

  OwnPenalty own_penalty() const override { return {own_penalty_, network_->own_words.groups()}; }
  std::optional<double> usual_wander() const override {
    return depends_on_wander() ? std::optional(network_->sizes.usual_wander) : std::nullopt;
  }
  Result<std::shared_ptr<const MaskedModel>> at_reach(double reach, double wander) const override {
    return torch_guarded([&]() -> std::shared_ptr<const MaskedModel> {
      check_draw(reach, wander);
      return std::make_shared<const BoundedMaskedModel>(network_, reach, wander);
    });
  }

 protected:
  at::Tensor states(const Inputs& inputs, const at::Tensor& at) const override {
    return network_->states(inputs, at, condition_);
  }
  at::Tensor head(const at::Tensor& states) const override { return network_->scores(states); }

 private:
  bool depends_on_wander() const { return !network_->sizes.wander_knots.empty(); }

  at::Tensor wander_weights_at(double wander) const {
    const std::vector<double>& knots = network_->sizes.wander_knots;
    if (knots.empty()) return at::ones({1}, condition_.options());
    return knot_weights(knots.size(), share_of_wander(knots, wander), condition_);
  }

  std::shared_ptr<const BoundedNetwork> network_;
  at::Tensor condition_;
  std::vector<float> own_penalty_;
  std::vector<float> log_base_;
  std::unique_ptr<BoundedHead> head_;  // null in a model as opened
};

}  // namespace

std::shared_ptr<const MaskedModel> make_bounded_masked(const Checkpoint& checkpoint) {
  return std::make_shared<const BoundedMaskedModel>(std::make_shared<const BoundedNetwork>(checkpoint));
}

}  // namespace sotto::lm
