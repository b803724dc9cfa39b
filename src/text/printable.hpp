// Names that were found in a file, in a form that a message may quote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// `name` cut to a length that fits a message; whatever does not print (control characters, directions, bytes
/// that are not UTF-8) as \xNN.
std::string printable(std::string_view name);

/// Whether there are control characters other than tabs in `name`, or characters that end a line or
/// paragraph.
bool has_control_characters(std::string_view name);

/// The first few of `names`, printable, and how many more there are.
std::string list_names(const std::vector<std::string>& names);

}  // namespace sotto
