// The plot of a tuning: trade-offs and the choice.
#pragma once

#include <string>

#include <sotto/tune.hpp>

namespace sotto::evaluate {

/// Objective against loss as an SVG file: a line per mechanism with its parameters, from the smallest ε to
/// the largest, the frontier, the limit and the choice.
std::string frontier_svg(const TuneReport& report);

}  // namespace sotto::evaluate
