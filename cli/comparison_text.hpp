// What a word enters a mechanism as, and two words under one, for people.
#pragma once

#include <string>

#include <sotto/explain.hpp>

namespace sotto::cli {

/// "not a word of the model; enters as 'cafe' (folded)".
std::string entry_text(const WordEntry& entry);

/// A table of promised and observed factors, and both distributions for each ε.
std::string comparison_text(const WordComparison& comparison);

}  // namespace sotto::cli
