// The names by which models are found.
#pragma once

#include <filesystem>
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

/// A language model that can be found by its name.
struct ListedLanguageModel {
  std::string name;
  std::filesystem::path folder;
  /// By its config.json alone: masked, causal, encoder-decoder or sentence encoder; unknown if the file
  /// cannot be read.
  std::string kind;
};

/// All of them, sorted by name, without opening any. Thread-safe unless another thread changes the
/// environment.
SOTTO_API std::vector<ListedLanguageModel> list_language_models();

}  // namespace sotto
