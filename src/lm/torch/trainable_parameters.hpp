// The weights of a trainable network. All lie in one tensor, so that the optimizer, the sum of gradients and
// a saved state are each one pass over memory; layers see them as leaves of their own shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// The weights as layers use them, indexed by the numbers from ParameterList.
using Leaves = std::vector<at::Tensor>;
using Leaf = std::size_t;

/// Collects weights and their initial values.
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

/// A gradient, and leaves that share the weights and accumulate into it during backpropagation.
struct Gradient {
  at::Tensor flat;
  Leaves leaves;
};

struct AdamSettings {
  double first_decay = 0.9;
  double second_decay = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double largest_norm = 0;  ///< longer gradients are clipped to this norm; 0: not clipped
};

class Parameters {
 public:
  Parameters(const ParameterList& list, const at::Device& device);

  const Leaves& leaves() const { return leaves_; }  ///< without gradients
  Gradient make_gradient() const;
  /// One step of Adam with decoupled weight decay (for tensors of two or more dimensions), on this many
  /// threads. The gradient is the sum of these, in order, and is left in the first.
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
