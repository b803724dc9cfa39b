// The names by which models are found.
#pragma once

#include <string>
#include <vector>

#include <sotto/api.hpp>

namespace sotto {

/// The names of the models that list_models() returns, in the same order. Thread-safe unless another thread
/// changes the environment.
SOTTO_API std::vector<std::string> model_names();

/// The names of the language models that find_language_model() finds, sorted. Thread-safe unless another
/// thread changes the environment.
SOTTO_API std::vector<std::string> language_model_names();

}  // namespace sotto
