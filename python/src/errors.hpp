// The library's errors as Python exceptions. Below this edge errors are values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <sotto/result.hpp>

namespace sotto::python {

/// A parameter as the package's users spell it: "set['k']" for the mechanism's k, "key" for the key file.
std::string keyword(std::string_view parameter);

/// ValueError, FileNotFoundError, OSError, LimitExceeded or KeyboardInterrupt, with the library's sentence.
[[noreturn]] void raise(const Error& error);

/// For arguments that do not get as far as the library.
[[noreturn]] void raise_value_error(std::string_view text);
[[noreturn]] void raise_type_error(std::string_view text);

/// The value, or the error raised. Needs the GIL.
template <class T>
T take(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Registers LimitExceeded.
void define_exceptions(void* module);

}  // namespace sotto::python
