// YAML from files, which may be hostile. All of Sotto's YAML parsing happens here.
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include <sotto/result.hpp>

namespace sotto::base {

/// The only document in `text`; `name` is the file's, for messages. Refuses aliases, because they allow trees
/// that contain themselves and a few lines that expand to billions, as well as deep nesting and anything
/// after the first document. Exceptions of yaml-cpp do not escape.
Result<YAML::Node> parse_yaml(const std::string& text, std::string_view name);

}  // namespace sotto::base
