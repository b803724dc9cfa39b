// Exceptions as values. Errors of this library are values already; what is still thrown is what can happen
// anywhere: memory runs out, a thread cannot be started, the operating system gives no random bytes.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include <sotto/result.hpp>

namespace sotto {

/// The exception being handled, as an error. Itself needs no memory when memory is what was missing.
inline Error error_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Errc::limit, {}, {}, "out of memory", {}};  // short enough to be stored inside the string
  } catch (const std::exception& error) {
    return fail(Errc::io, error.what()).value();
  }
}

/// body(), which returns nothing or a Result, or what it threw as an error.
template <class Body>
auto as_result(const Body& body) -> std::conditional_t<std::is_void_v<std::invoke_result_t<Body>>,
                                                       Result<void>, std::invoke_result_t<Body>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const std::exception&) {
    return tl::unexpected(error_of_current_exception());
  }
}

}  // namespace sotto
