// What determines the last digits of an answer besides the model: another processor, library or device may
// round to another word, so they belong to the configuration of any draw.
#pragma once

#include <string>

#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// On one line: libtorch's version and a hash of its build, the instruction sets that it, BLAS, oneDNN and
/// the 8-bit products use here, the device, and the environment variables by which users change any of these.
std::string arithmetic(const Runtime& runtime);

}  // namespace sotto::lm
