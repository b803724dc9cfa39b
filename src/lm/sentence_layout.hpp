// What the folder of a sentence encoder consists of.
#pragma once

#include <cstdint>
#include <filesystem>

#include "lm/config.hpp"

namespace sotto::lm {

enum class Pooling { mean, first };

struct SentenceLayout {
  std::filesystem::path transformer;
  Pooling pooling = Pooling::mean;
  std::int64_t longest = kMostPositions;
};

/// The modules of a sentence-transformers folder, or an encoder alone, whose states are averaged. Throws
/// Failure if there are modules that would change the vector in another way.
SentenceLayout read_sentence_layout(const std::filesystem::path& folder);

}  // namespace sotto::lm
