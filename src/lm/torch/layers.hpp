// The building blocks of all architectures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <ATen/ATen.h>

#include "lm/architectures.hpp"
#include "lm/engine/byte_matrix.hpp"
#include "lm/torch/batches.hpp"
#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// How a matrix of outputs × inputs is stored in the file.
enum class Layout { outputs_first, inputs_first };
enum class Bias { yes, no };

/// x · Wᵀ + b on the last dimension.
class Linear {
 public:
  Linear() = default;
  /// `name`.weight and `name`.bias.
  Linear(const Weights& weights, const std::string& name, std::int64_t inputs, std::int64_t outputs,
         Bias bias = Bias::yes, Layout layout = Layout::outputs_first);
  /// From a matrix of that name, for instance embeddings used as a head; `bias` may be undefined.
  static Linear from_matrix(const Weights& weights, const std::string& matrix, std::int64_t inputs,
                            std::int64_t outputs, at::Tensor bias, Layout layout = Layout::outputs_first);

  at::Tensor operator()(const at::Tensor& x) const;

 private:
  void multiply_part(const at::Tensor& vectors, std::int64_t first, std::int64_t count,
                     at::Tensor& out) const;

  at::Tensor weight_;  // outputs × inputs; undefined if bytes_ is set
  at::Tensor bias_;
  std::shared_ptr<const ByteMatrix> bytes_;
};

/// Layer normalization; without a bias it is T5's, which does not subtract the mean.
class Norm {
 public:
  Norm() = default;
  /// `name`.weight and `name`.bias, or gamma and beta in old checkpoints.
  Norm(const Weights& weights, const std::string& name, std::int64_t size, double epsilon,
       Bias bias = Bias::yes);
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  double epsilon_ = 0;
};

/// Overwrites x.
at::Tensor activate(Activation activation, at::Tensor x);

/// [batch, length, heads · size] as [batch, heads, length, size], and back.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);
at::Tensor join_heads(const at::Tensor& x);

/// softmax(scale · q kᵀ + bias) v; `bias` may be undefined.
at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& bias,
                  double scale);

/// softmax(scale · q kᵀ) v within each sequence of a batch, heads joined. There is one query per key, or one
/// per sequence; each row of q, k and v is contiguous, with any stride between rows.
at::Tensor attend_within(const Inputs& inputs, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         std::int64_t heads);

/// Row at[i] of each x[i]: [batch, length, size] to [batch, 1, size].
at::Tensor pick(const at::Tensor& x, const at::Tensor& at);
/// The same for a batch; of a packed one, rows at[i] of all, [1, batch, size].
at::Tensor pick(const Inputs& inputs, const at::Tensor& x, const at::Tensor& at);

}  // namespace sotto::lm
