// Word vectors, an LSTM, and a linear layer on its last state.
#include <cmath>

#include "lm/torch/trainable.hpp"

namespace sotto::lm {
namespace {

constexpr std::int64_t kPairFeatures = 4;  // u, v, |u − v|, u·v

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
    const at::Tensor u = last_states(leaves, input.texts);
    if (!pairs_) return u;
    const at::Tensor v = last_states(leaves, input.partners);
    return at::cat({u, v, (u - v).abs(), u * v}, -1);
  }

  at::Tensor head(const Leaves& leaves, const at::Tensor& features, Dropout& dropout) const override {
    return head_(leaves, dropout(features));
  }

 private:
  // In libtorch's order: input and state matrices, their biases; the gates are input, forget, cell, output.
  // The forget gates begin open, so that the first words of a long text are not lost at once.
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

  // [batch, hidden · directions]. Texts are packed by falling length: nothing is computed for padding.
  at::Tensor last_states(const Leaves& leaves, const Inputs& inputs) const {
    const auto [lengths, order] = inputs.lengths.sort(-1, true);
    const at::Tensor& vectors = vectors_.defined() ? vectors_ : leaves[trained_vectors_];
    const at::Tensor words = at::embedding(vectors, inputs.ids.index_select(0, order));
    const auto [data, batch_sizes] = at::_pack_padded_sequence(words, lengths.to(at::kCPU), true);
    const at::Tensor start = at::zeros({layers_ * directions_, inputs.ids.size(0), hidden_}, words.options());
    std::vector<at::Tensor> weights;
    for (const Leaf leaf : lstm_) weights.push_back(leaves[leaf]);
    const at::Tensor states = std::get<1>(
        at::lstm(data, batch_sizes, {start, start}, weights, true, layers_, 0, false, directions_ == 2));
    const at::Tensor last = states.narrow(0, (layers_ - 1) * directions_, directions_);
    const at::Tensor joined = last.transpose(0, 1).flatten(1);
    return joined.index_select(0, order.argsort());
  }

  std::int64_t ids_;
  std::int64_t hidden_;
  std::int64_t layers_;
  std::int64_t directions_;
  bool pairs_;
  at::Tensor vectors_;  // undefined when they are trained
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
