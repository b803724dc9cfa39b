// Errors as values: every operation that a user's input can make fail returns Result<T>.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace sotto {

/// What kind of failure it is; the message says the rest. Front ends map it to exit codes and HTTP statuses.
enum class Errc {
  invalid_argument,  ///< an option or parameter has a value that is not allowed
  not_found,         ///< a file, model, mechanism, field or word does not exist
  io,                ///< reading or writing failed
  bad_format,        ///< the content of a file is not what its format demands
  limit,             ///< a stated limit was exceeded
  interrupted,       ///< the caller asked to stop
};

/// One line for a person: names the thing, the value found, and what would be right.
struct Error {
  Errc code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning an error from a function that returns Result<T>.
inline tl::unexpected<Error> fail(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
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
