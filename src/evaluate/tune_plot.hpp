// The picture of a tuning: trade-offs and what was chosen.
#pragma once

#include <string>

#include <sotto/tune.hpp>

namespace sotto {

/// Objective against loss: a line for each mechanism with its parameters, from the smallest ε to the largest,
/// the frontier, the limit and the choice, as an SVG file.
std::string frontier_svg(const TuneReport& report);

}  // namespace sotto
