// Draws where scores are computed.
#pragma once

#include <functional>
#include <memory>

#include <ATen/ATen.h>

#include "lm/input_limits.hpp"
#include "lm/language_model.hpp"
#include "lm/torch/batches.hpp"

namespace sotto::lm {

/// What a drawer needs of its model.
struct DrawnModel {
  Runtime runtime;
  InputLimits limits;
  std::int64_t outputs = 0;
  std::function<at::Tensor(const Inputs& inputs)> states;      ///< of all places, [1, all lengths, width]
  std::function<at::Tensor(const at::Tensor& states)> scores;  ///< [n, width] to [n, outputs]
  OwnPenalty penalty;
};

std::unique_ptr<const WordDrawer> make_word_drawer(DrawnModel model, const PublicLaw& law);

}  // namespace sotto::lm
