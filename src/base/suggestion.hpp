// Guesses what somebody meant to type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// The known name that is most like `typed`, or an empty string if none is. Letter case and the difference
/// between '-', '_' and ' ' hardly count; two neighbouring letters that changed places are one mistake.
std::string closest_name(std::string_view typed, const std::vector<std::string>& known);

/// " (did you mean 'x'?)", to be appended to a message; empty if nothing is like it.
std::string suggestion(std::string_view typed, const std::vector<std::string>& known);

}  // namespace sotto
