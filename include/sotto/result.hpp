// Errors as values: every operation that can fail because of user input returns Result<T>.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace sotto {

/// The kind of failure; the message has the details. Front ends map it to exit codes and HTTP statuses.
enum class Errc {
  invalid_argument,  ///< the value of a parameter is not allowed
  not_found,         ///< a file, model, mechanism, field or word does not exist
  io,                ///< reading or writing failed
  bad_format,        ///< the content of a file does not match its format
  limit,             ///< a stated limit was exceeded
  interrupted,       ///< the caller asked to stop
  closed_pipe,       ///< standard output is a pipe that nobody reads any more
};

/// A parameter and its value, as text.
struct Argument {
  std::string parameter;
  std::string value;  ///< empty: the user has to supply one
};

/// What would help: a Sotto command and its arguments. Each front end spells it in its own way.
struct Hint {
  std::string command;  ///< words separated by single spaces, for example "lists build"
  std::vector<Argument> arguments;
};

/// The text of an error. A string is taken literally. format_message (base/message.hpp) creates messages that
/// refer to parameters and hints.
struct Message {
  Message(std::string_view plain) : pattern(doubled_braces(plain)) {}      // NOLINT(*-explicit-*)
  Message(const std::string& plain) : Message(std::string_view(plain)) {}  // NOLINT(*-explicit-*)
  Message(const char* plain) : Message(std::string_view(plain)) {}         // NOLINT(*-explicit-*)

  /// From a pattern in which {name} is a parameter, {0} the first hint, and all other braces are doubled.
  static Message of_pattern(std::string pattern) {
    Message message("");
    message.pattern = std::move(pattern);
    return message;
  }
  static std::string doubled_braces(std::string_view plain);

  std::string pattern;
};

/// Names the subject, the value found, and what would be right. It refers to parameters, such as "epsilon" or
/// "parameters.k" (k of the mechanism); a front end decides how its users spell them (sotto/error_text.hpp).
struct Error {
  Errc code;
  std::string parameter;  ///< the offending one; empty if there is none
  std::string value;      ///< of that parameter, never a piece of data; empty if none was given
  /// {name} is a parameter and {0} the first hint; all other braces are doubled, as in format strings.
  std::string message;
  std::vector<Hint> hints;
};

template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning an error from a function that returns Result<T>. Thread-safe.
inline tl::unexpected<Error> fail(Errc code, Message message, std::vector<Hint> hints = {}) {
  return tl::unexpected<Error>(Error{code, {}, {}, std::move(message.pattern), std::move(hints)});
}

/// Same for an offending parameter. The message need not name it. Thread-safe.
inline tl::unexpected<Error> fail_parameter(std::string_view parameter, std::string_view value,
                                            Message message, Errc code = Errc::invalid_argument,
                                            std::vector<Hint> hints = {}) {
  return tl::unexpected<Error>(
      Error{code, std::string(parameter), std::string(value), std::move(message.pattern), std::move(hints)});
}

inline std::string Message::doubled_braces(std::string_view plain) {
  std::string doubled;
  for (const char c : plain) doubled.append(c == '{' || c == '}' ? 2 : 1, c);
  return doubled;
}

}  // namespace sotto

/// Evaluates a Result-returning expression and returns its error from the enclosing function, if any.
#define SOTTO_TRY(expression)                                     \
  do {                                                            \
    if (auto sotto_try_result = (expression); !sotto_try_result)  \
      return tl::unexpected(std::move(sotto_try_result.error())); \
  } while (false)

#define SOTTO_CONCAT_INNER(a, b) a##b
#define SOTTO_CONCAT(a, b) SOTTO_CONCAT_INNER(a, b)

/// SOTTO_ASSIGN(auto x, f()): declares x with f's value or returns f's error from the enclosing function.
#define SOTTO_ASSIGN(declaration, expression) \
  SOTTO_ASSIGN_INNER(SOTTO_CONCAT(sotto_result_, __LINE__), declaration, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses.
#define SOTTO_ASSIGN_INNER(name, declaration, expression)    \
  auto name = (expression);                                  \
  if (!name) return tl::unexpected(std::move(name.error())); \
  declaration = std::move(*name)
// NOLINTEND(bugprone-macro-parentheses)
