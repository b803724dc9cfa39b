// Models that turn a text into a vector.
#pragma once

#include <filesystem>
#include <memory>

#include "lm/language_model.hpp"
#include "lm/torch/checkpoint.hpp"

namespace sotto::lm {

/// A folder of the sentence-transformers library, or an encoder alone, whose states are averaged.
std::shared_ptr<const SentenceModel> make_sentence(const std::filesystem::path& folder,
                                                   const Runtime& runtime);

}  // namespace sotto::lm
