// Errors as one line of text, in the words of a front end.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto {

/// How a front end spells what errors speak of.
struct Spelling {
  std::function<std::string(std::string_view parameter)> parameter;
  std::function<std::string(const Hint& hint)> hint;
};

/// One line: the parameter at fault, a colon, and the message with its parameters and hints spelled. Text
/// that was quoted in the message stays as it was, whatever braces it holds. Thread-safe where `spelling` is.
std::string describe(const Error& error, const Spelling& spelling);

/// The same in no front end's words, for reports and logs: parameters by their names. Thread-safe.
std::string describe(const Error& error);

/// "lists build (model: glove)". Thread-safe.
std::string describe(const Hint& hint);

}  // namespace sotto
