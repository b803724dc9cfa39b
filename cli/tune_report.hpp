// Output of 'sotto tune'.
#pragma once

#include <string>

#include <sotto/tune.hpp>

namespace sotto::cli {

/// A table of the frontier (of all points with `all`), a small plot, and the choice.
std::string tune_text(const TuneReport& report, bool all);

}  // namespace sotto::cli
