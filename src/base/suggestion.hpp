// Guesses what somebody meant to type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/text_values.hpp>

namespace sotto::base {

/// " (did you mean 'x'?)", to be appended to a message; empty if nothing is like it (see closest_name).
std::string suggestion(std::string_view typed, const std::vector<std::string>& known);

}  // namespace sotto::base
