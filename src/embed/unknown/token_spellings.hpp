// What may be looked up for a token as it was written: its spellings and its parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/token_folding.hpp"

namespace sotto::embed {

/// The drawn-out spelling with each run of three as one letter or two; the last one has single letters only.
/// Runs beyond the fourth are all shortened alike, so that their number does not matter.
std::vector<std::string> shortened(std::string_view letters);

/// The letters a to z alone.
std::string without_joiners(std::string letters);

/// The parts between hyphens, inner capitals and underscores, and around apostrophes.
std::vector<std::string_view> parts_of(const text::FoldedToken& token);

}  // namespace sotto::embed
