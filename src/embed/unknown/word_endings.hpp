// English endings: from "googling" to "google".
#pragma once

#include <string_view>
#include <vector>

#include "embed/unknown/public_words.hpp"

namespace sotto::embed {

/// The words from which `letters` (a to z, ' and -) may be formed by an ending: for the longest ending that
/// leaves a known stem, the most frequent first. Thread-safe.
std::vector<WordNumber> stems(std::string_view letters, const PublicWords& words);

}  // namespace sotto::embed
