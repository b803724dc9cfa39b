// From text to states: what masked models and sentence encoders share.
#pragma once

#include <memory>

#include <ATen/ATen.h>

#include "lm/torch/batches.hpp"

namespace sotto::lm {

/// A stack of attention layers. Immutable.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual InputLimits limits() const = 0;
  virtual std::int64_t width() const = 0;
  /// [batch, length, width], or with `at` [batch] only the states at these places, [batch, 1, width]: the
  /// last layer then has queries for these alone.
  virtual at::Tensor states(const Inputs& inputs, const at::Tensor& at) const = 0;
};

/// BERT, RoBERTa or DistilBERT, according to config.json. Throws Failure for any other.
std::unique_ptr<const Encoder> make_encoder(const Checkpoint& checkpoint);

}  // namespace sotto::lm
