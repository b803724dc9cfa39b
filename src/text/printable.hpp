// Names found in a file, in a form that messages can quote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"

namespace sotto::text {

/// Whether a code point leaves a mark on a terminal and obeys nothing there: no control character, no
/// directional mark, nothing unassigned or ill-formed.
bool is_printable(const CodePoint& code_point);

/// `name` truncated to fit into a message, with anything unprintable (control characters, directional marks,
/// invalid UTF-8) as \xNN.
std::string printable(std::string_view name);

/// Whether `name` has control characters other than tabs, or characters that end a line or paragraph.
bool has_control_characters(std::string_view name);

/// The first few of `names`, printable, and the number of others.
std::string list_names(const std::vector<std::string>& names);

}  // namespace sotto::text
