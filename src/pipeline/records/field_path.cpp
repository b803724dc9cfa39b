#include "pipeline/records/field_path.hpp"

#include <algorithm>

#include "base/message.hpp"

namespace sotto::pipeline {
namespace {

/// A step with its escapes resolved; false if one is neither ~0 nor ~1.
bool unescape_step(std::string_view escaped, std::string& name) {
  name.clear();
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '~') {
      name += escaped[i];
      continue;
    }
    if (++i == escaped.size() || (escaped[i] != '0' && escaped[i] != '1')) return false;
    name += escaped[i] == '0' ? '~' : '/';
  }
  return true;
}

}  // namespace

Result<FieldPath> FieldPath::parse(std::string_view parameter, std::string_view text) {
  FieldPath path;
  path.text_ = text;
  if (!text.starts_with('/')) {
    path.steps_ = {std::string(text)};
    return path;
  }
  for (std::size_t slash = 0; slash != std::string_view::npos;) {
    const std::size_t next = text.find('/', slash + 1);
    if (!unescape_step(text.substr(slash + 1, next - slash - 1), path.steps_.emplace_back()))
      return fail_parameter(
          parameter, text,
          base::format_message("'{}' is not a JSON Pointer: after ~ there must be 0 (for ~) or 1 (for /)",
                               text));
    slash = next;
  }
  return path;
}

bool FieldPath::has_wildcard() const {
  // The record itself is an object, where * is an ordinary name.
  return std::find(steps_.begin() + 1, steps_.end(), kEveryElement) != steps_.end();
}

bool FieldPath::overlaps(const FieldPath& other) const {
  const std::size_t common = std::min(steps_.size(), other.steps_.size());
  for (std::size_t i = 0; i < common; ++i) {
    const bool may_be_every = i > 0 && (steps_[i] == kEveryElement || other.steps_[i] == kEveryElement);
    if (steps_[i] != other.steps_[i] && !may_be_every) return false;
  }
  return true;
}

void append_step(std::string& pointer, std::string_view name) {
  pointer += '/';
  for (const char byte : name) {
    if (byte == '~')
      pointer += "~0";
    else if (byte == '/')
      pointer += "~1";
    else
      pointer += byte;
  }
}

std::string member_path(std::string_view name) {
  if (!name.starts_with('/')) return std::string(name);
  std::string pointer;
  append_step(pointer, name);
  return pointer;
}

}  // namespace sotto::pipeline
