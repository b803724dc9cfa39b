// The plugin's boundary: guarded() turns exceptions into values.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include <c10/util/Exception.h>

#include <sotto/result.hpp>

#include "lm/failure.hpp"
#include "lm/torch/blas.hpp"

namespace sotto::lm {

inline std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

/// Returns body()'s value, or whatever it threw as an error. All computation passes through here, so this is
/// where threads take turns with a BLAS that they cannot share.
template <class Body>
Result<std::invoke_result_t<Body>> guarded(const Body& body) {
  try {
    const BlasTurn turn;
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return tl::unexpected(failure.error());
  } catch (const c10::Error& error) {
    return fail(Errc::limit, "libtorch: " + first_line(error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    return fail(Errc::limit, "there is not enough memory for the language model");
  } catch (const std::exception& error) {
    return fail(Errc::limit, "language model: " + first_line(error.what()));
  }
}

}  // namespace sotto::lm
