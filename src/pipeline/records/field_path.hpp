// Where a field is in a JSON record: the name of a member, or a JSON Pointer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::pipeline {

/// A path from the record to a value. A step is the name of a member; in an array a step of digits is an
/// index, and "*" is every element.
class FieldPath {
 public:
  /// A text that begins with a slash is a JSON Pointer (RFC 6901: ~1 is a slash and ~0 a tilde in a name),
  /// any other the name of a member of the record. `parameter` is at fault if it is neither.
  static Result<FieldPath> parse(std::string_view parameter, std::string_view text);

  const std::vector<std::string>& steps() const { return steps_; }
  /// As the user gave it.
  const std::string& text() const { return text_; }
  bool has_wildcard() const;

  /// Whether some record could have a value that is at or below this path and at or below the other one.
  bool overlaps(const FieldPath& other) const;

  /// Whether both lead to the same values.
  bool operator==(const FieldPath& other) const { return steps_ == other.steps_; }

 private:
  std::string text_;
  std::vector<std::string> steps_;
};

inline constexpr std::string_view kEveryElement = "*";

/// Appends a slash and the name, escaped, to a JSON Pointer.
void append_step(std::string& pointer, std::string_view name);

/// The shortest text that parse() takes for the member `name` of the record.
std::string member_path(std::string_view name);

}  // namespace sotto::pipeline
