// Errors as one line of text, in the terms of a front end.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// How a front end spells the parameters and hints in errors.
struct Spelling {
  std::function<std::string(std::string_view parameter)> parameter;
  std::function<std::string(const Hint& hint)> hint;
};

/// One line: the offending parameter, a colon, and the message with its parameters and hints spelled out.
/// Text quoted in the message is unchanged, whatever braces it contains. Thread-safe if `spelling` is.
SOTTO_API std::string describe(const Error& error, const Spelling& spelling);

/// Same, independent of any front end, for reports and logs: parameters appear by name. Thread-safe.
SOTTO_API std::string describe(const Error& error);

/// "lists build (model: glove)". Thread-safe.
SOTTO_API std::string describe(const Hint& hint);

}  // namespace sotto
