// Answers as JSON, written directly: a tree would take longer than the rewriting.
#pragma once

#include <string>
#include <string_view>

namespace sotto::server {

/// Appends `text`, which is UTF-8, as a JSON string.
void append_json(std::string& json, std::string_view text);

/// JSON of the library, which has several lines, without blanks and line ends between its tokens.
std::string on_one_line(std::string_view json);

}  // namespace sotto::server
