// Word vectors, an LSTM, and a linear layer on its last state.
#include <cmath>

#include <c10/core/GradMode.h>

#include "lm/torch/layers.hpp"
#include "lm/torch/trainable.hpp"

namespace sotto::lm {
namespace {

constexpr std::int64_t kPairFeatures = 4;  // u, v, |u − v|, u·v
constexpr Leaf kLayerLeaves = 4;           // per LSTM and direction

class RecurrentGraph final : public Graph {
 public:
  RecurrentGraph(const RecurrentShape& shape, std::int64_t outputs, const Runtime& runtime,
                 ParameterList& parameters)
      : ids_(static_cast<std::int64_t>(shape.vectors.size() / shape.dimension)),
        hidden_(shape.hidden),
        layers_(shape.layers),
        directions_(shape.bidirectional ? 2 : 1),
        pairs_(shape.pairs) {
    const at::Tensor vectors =
        at::from_blob(const_cast<float*>(shape.vectors.data()), {ids_, shape.dimension}, at::kFloat).clone();
    if (shape.train_vectors)
      trained_vectors_ = parameters.add(vectors);
    else
      vectors_ = vectors.to(runtime.device);
    for (std::int64_t layer = 0; layer < layers_; ++layer)
      for (std::int64_t direction = 0; direction < directions_; ++direction)
        add_layer(layer == 0 ? shape.dimension : hidden_ * directions_, parameters);
    head_.weight =
        parameters.add_uniform({outputs, width()}, std::sqrt(6 / static_cast<double>(outputs + width())));
    head_.bias = parameters.add_constant({outputs}, 0);
  }

  NetworkLimits limits() const override {
    return {static_cast<std::uint32_t>(ids_), static_cast<std::uint32_t>(kMostPositions), 1, 1};
  }
  std::int64_t width() const override { return hidden_ * directions_ * (pairs_ ? kPairFeatures : 1); }
  bool pairs() const override { return pairs_; }
  std::size_t rows_together() const override { return 16; }

  at::Tensor features(const Leaves& leaves, const GraphInput& input, Dropout&) const override {
    at::Tensor u = last_states(leaves, input.texts);
    if (!pairs_) return u;
    const at::Tensor v = last_states(leaves, input.partners);
    return at::cat({u, v, (u - v).abs(), u * v}, -1);
  }

  at::Tensor head(const Leaves& leaves, const at::Tensor& features, Dropout& dropout) const override {
    return head_(leaves, dropout(features));
  }

 private:
  // In libtorch's order: input and state matrices, then their biases; the gates are input, forget, cell,
  // output. The forget gates start open, so that the first words of a long text are not lost immediately.
  void add_layer(std::int64_t inputs, ParameterList& parameters) {
    const double most_input = std::sqrt(6 / static_cast<double>(inputs + 4 * hidden_));
    lstm_.push_back(parameters.add_uniform({4 * hidden_, inputs}, most_input));
    lstm_.push_back(
        parameters.add_uniform({4 * hidden_, hidden_}, 1 / std::sqrt(static_cast<double>(hidden_))));
    at::Tensor bias = at::zeros({4 * hidden_});
    bias.narrow(0, hidden_, hidden_).fill_(1);
    lstm_.push_back(parameters.add(bias));
    lstm_.push_back(parameters.add_constant({4 * hidden_}, 0));
  }

  // [batch, hidden · directions]: the state after the last word, and for the backward direction after the
  // first. libtorch's packed sequences would avoid the padding, but their derivative takes time quadratic in
  // the length.
  at::Tensor last_states(const Leaves& leaves, const Inputs& inputs) const {
    const at::Tensor ends = inputs.lengths - 1;
    const at::Tensor back = backward_order(inputs);
    at::Tensor x = at::embedding(vectors_.defined() ? vectors_ : leaves[trained_vectors_], inputs.ids);
    std::vector<at::Tensor> outputs;
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      outputs.clear();
      for (std::int64_t direction = 0; direction < directions_; ++direction) {
        const Leaf first = static_cast<Leaf>(layer * directions_ + direction) * kLayerLeaves;
        const at::Tensor states = run(leaves, first, direction == 0 ? x : reordered(x, back));
        outputs.push_back(direction == 0 ? states : reordered(states, back));
      }
      x = at::cat(outputs, -1);
    }
    std::vector<at::Tensor> last = {pick(outputs[0], ends)};
    if (directions_ == 2) last.push_back(pick(outputs[1], at::zeros_like(ends)));
    return at::cat(last, -1).squeeze(1);
  }

  // The states after each word, [batch, length, hidden].
  at::Tensor run(const Leaves& leaves, Leaf first, const at::Tensor& x) const {
    const at::Tensor start = at::zeros({1, x.size(0), hidden_}, x.options());
    std::vector<at::Tensor> weights;
    for (Leaf i = first; i < first + kLayerLeaves; ++i) weights.push_back(leaves[lstm_[i]]);
    if (!x.is_cpu()) weights = in_one_piece(weights);
    // cuDNN keeps what a derivative needs only in training mode.
    const bool learns = c10::GradMode::is_enabled();
    return std::get<0>(at::lstm(x, {start, start}, weights, true, 1, 0, learns, false, true));
  }

  // cuDNN requires them in one dedicated block of memory, in this order.
  static std::vector<at::Tensor> in_one_piece(const std::vector<at::Tensor>& weights) {
    std::vector<at::Tensor> flat;
    std::vector<std::int64_t> counts;
    for (const at::Tensor& weight : weights) {
      flat.push_back(weight.flatten());
      counts.push_back(weight.numel());
    }
    std::vector<at::Tensor> parts = at::cat(flat).split_with_sizes(counts);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].view_as(weights[i]);
    return parts;
  }

  // [batch · length]: the position of each word when its text is read backwards; padding stays in place.
  static at::Tensor backward_order(const Inputs& inputs) {
    const at::Tensor places = at::arange(inputs.ids.size(1), inputs.lengths.options()).unsqueeze(0);
    const at::Tensor lengths = inputs.lengths.unsqueeze(1);
    const at::Tensor mirrored = at::where(places < lengths, lengths - 1 - places, places);
    const at::Tensor rows = at::arange(inputs.ids.size(0), inputs.lengths.options()).unsqueeze(1);
    return (mirrored + rows * inputs.ids.size(1)).flatten();
  }
  static at::Tensor reordered(const at::Tensor& x, const at::Tensor& order) {
    return x.flatten(0, 1).index_select(0, order).view(x.sizes());
  }

  std::int64_t ids_;
  std::int64_t hidden_;
  std::int64_t layers_;
  std::int64_t directions_;
  bool pairs_;
  at::Tensor vectors_;  // undefined if they are trained
  Leaf trained_vectors_ = 0;
  std::vector<Leaf> lstm_;
  Affine head_;
};

}  // namespace

std::unique_ptr<const Graph> make_recurrent_graph(const RecurrentShape& shape, std::int64_t outputs,
                                                  const Runtime& runtime, ParameterList& parameters) {
  return std::make_unique<const RecurrentGraph>(shape, outputs, runtime, parameters);
}

}  // namespace sotto::lm
