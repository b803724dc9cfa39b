// Checks of the user's training options.
#pragma once

#include <sotto/result.hpp>
#include <sotto/train.hpp>

namespace sotto::train {

/// Refuses what cannot be trained, with a message that names the option.
Result<void> check_train_options(const TrainOptions& options);

}  // namespace sotto::train
