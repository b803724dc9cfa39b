// What decides the last digits of an answer besides the model: another processor, library or device may round
// to another word, so what they are belongs to the configuration of whatever is drawn.
#pragma once

#include <string>

#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// On one line: libtorch's version and a hash of how it was built, the instructions that it, BLAS, oneDNN and
/// the 8-bit products use here, the device, and the environment variables by which users change any of it.
std::string arithmetic(const Runtime& runtime);

}  // namespace sotto::lm
