// The weights of a network that learns. All lie in one tensor, so that the optimizer, the sum of gradients
// and a remembered state are each one pass over memory; layers see them as leaves of their shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// The weights as layers use them, by the numbers that ParameterList gave them.
using Leaves = std::vector<at::Tensor>;
using Leaf = std::size_t;

/// Collects weights and the values they begin with.
class ParameterList {
 public:
  explicit ParameterList(std::uint64_t seed);

  Leaf add(const at::Tensor& start);
  /// From a checkpoint.
  Leaf add(const Weights& weights, const std::string& name, const std::vector<std::int64_t>& shape) {
    return add(weights.tensor(name, shape));
  }
  Leaf add_uniform(const std::vector<std::int64_t>& shape, double largest);
  Leaf add_normal(const std::vector<std::int64_t>& shape, double deviation);
  Leaf add_constant(const std::vector<std::int64_t>& shape, double value) {
    return add(at::full(shape, value));
  }
  const std::vector<at::Tensor>& starts() const { return starts_; }

 private:
  at::Generator generator_;
  std::vector<at::Tensor> starts_;
};

/// A gradient, and leaves that share the weights and add to it when something is derived by them.
struct Gradient {
  at::Tensor flat;
  Leaves leaves;
};

struct AdamSettings {
  double first_decay = 0.9;
  double second_decay = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double largest_norm = 0;  ///< longer gradients are shortened to it; 0: they are not
};

class Parameters {
 public:
  Parameters(const ParameterList& list, const at::Device& device);

  const Leaves& leaves() const { return leaves_; }  ///< without gradients
  Gradient make_gradient() const;
  /// One step of Adam with decoupled weight decay (of what has two dimensions or more), on so many threads.
  /// The gradient is the sum of these, in their order, and is left in the first.
  void step(std::span<Gradient> gradients, double learning_rate, const AdamSettings& settings,
            unsigned threads);
  void keep();
  void recall();

 private:
  struct Piece {
    std::int64_t offset;
    std::int64_t count;
  };
  Leaves views(const at::Tensor& flat) const;
  double add_up(std::span<Gradient> gradients, unsigned threads) const;
  void decay(double factor, unsigned threads);
  void step_piece(const Piece& piece, const at::Tensor& slope, double learning_rate,
                  const AdamSettings& settings);

  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<Piece> pieces_;    // of all weights
  std::vector<Piece> decaying_;  // of the matrices
  at::Tensor flat_;
  at::Tensor first_moment_;
  at::Tensor second_moment_;
  at::Tensor kept_;
  std::int64_t steps_ = 0;
  Leaves leaves_;
};

}  // namespace sotto::lm
