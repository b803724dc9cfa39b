// Two words under a mechanism, for people.
#pragma once

#include <string>

#include <sotto/explain.hpp>

namespace sotto::cli {

/// A table of promised and observed factors, and both distributions for each ε.
std::string comparison_text(const WordComparison& comparison);

}  // namespace sotto::cli
