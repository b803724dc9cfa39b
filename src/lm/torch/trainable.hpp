// The parts of trainable networks: a graph defines how outputs follow from weights; Trainable does the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <ATen/ATen.h>

#include "lm/torch/batches.hpp"
#include "lm/torch/dropout.hpp"
#include "lm/torch/trainable_parameters.hpp"
#include "lm/trainable_network.hpp"

namespace sotto::lm {

/// During its lifetime ATen and BLAS use this thread alone. Unlike ThreadSpread it leaves autograd on.
class OneThread {
 public:
  OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread();

 private:
  int before_;
};

/// A batch of texts, and their partners if the graph reads pairs separately.
struct GraphInput {
  Inputs texts;
  Inputs partners;
};

/// Immutable.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual NetworkLimits limits() const = 0;
  virtual std::int64_t width() const = 0;
  virtual bool pairs() const { return false; }
  /// Rows of a batch that are computed together: their gradients are added up in order, so this affects the
  /// last digits, and the number of threads does not.
  virtual std::size_t rows_together() const = 0;
  /// [batch, width].
  virtual at::Tensor features(const Leaves& leaves, const GraphInput& input, Dropout& dropout) const = 0;
  /// [batch, outputs] from features.
  virtual at::Tensor head(const Leaves& leaves, const at::Tensor& features, Dropout& dropout) const = 0;
};

/// x · Wᵀ + b.
struct Affine {
  Leaf weight = 0;
  Leaf bias = 0;
  at::Tensor operator()(const Leaves& leaves, const at::Tensor& x) const {
    return at::linear(x, leaves[weight], leaves[bias]);
  }
};

std::unique_ptr<const Graph> make_recurrent_graph(const RecurrentShape& shape, std::int64_t outputs,
                                                  const Runtime& runtime, ParameterList& parameters);
std::unique_ptr<const Graph> make_transformer_graph(const Checkpoint& checkpoint, StatePooling pooling,
                                                    std::int64_t outputs, ParameterList& parameters);

/// The graph with weights and an optimizer.
std::unique_ptr<TrainableNetwork> make_trainable(std::unique_ptr<const Graph> graph,
                                                 const ParameterList& parameters,
                                                 const NetworkSettings& settings, const Runtime& runtime);

}  // namespace sotto::lm
