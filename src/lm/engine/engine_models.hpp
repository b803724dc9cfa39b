// The architectures that the engine computes. Everything throws Failure.
#pragma once

#include <filesystem>
#include <memory>

#include "lm/checkpoint_files.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

std::shared_ptr<const MaskedModel> make_engine_bounded(const CheckpointFiles& files,
                                                       const LanguageModelResources& resources);

/// A folder of the sentence-transformers library, or an encoder alone.
std::shared_ptr<const SentenceModel> make_engine_sentence(const std::filesystem::path& folder,
                                                          const LanguageModelResources& resources);
std::shared_ptr<const CausalModel> make_engine_gpt2(const CheckpointFiles& files,
                                                    const LanguageModelResources& resources);

}  // namespace sotto::lm
