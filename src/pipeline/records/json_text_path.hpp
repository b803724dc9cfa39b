// Where a JSON value has a text, for messages to those who named the value itself.
#pragma once

#include <string>

#include <simdjson.h>

namespace sotto::pipeline {

/// Extends `pointer`, the path of the object, to its first member that is a text: a string or an array of
/// strings, or one further down. Returns false if there is none.
bool append_text_path(simdjson::ondemand::value& object, std::string& pointer);

}  // namespace sotto::pipeline
