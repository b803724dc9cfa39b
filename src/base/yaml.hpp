// YAML from files, which may be hostile. Everything of ours that reads YAML does so here.
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include <sotto/result.hpp>

namespace sotto {

/// The one document in `text`; `name` is the file's, for messages. Aliases are refused, because they can make
/// a tree that contains itself or a few lines that stand for billions, and so is what nests deeply or comes
/// after the first document. No exception leaves it.
Result<YAML::Node> parse_yaml(const std::string& text, std::string_view name);

}  // namespace sotto
