// Turns exceptions into error values. The library itself reports errors as values; only failures that can
// happen anywhere are still thrown: out of memory, no new thread, no random bytes from the operating system.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include <sotto/result.hpp>

namespace sotto::base {

/// The exception being handled, as an error. Allocates nothing when memory has run out.
inline Error error_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Errc::limit, {}, {}, "out of memory", {}};  // fits into the string's inline buffer
  } catch (const std::exception& error) {
    return fail(Errc::io, error.what()).value();
  }
}

/// Calls body(), which returns void or a Result. Whatever it throws becomes an error.
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

}  // namespace sotto::base
