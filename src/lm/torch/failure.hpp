// The plugin's boundary: torch_guarded() turns exceptions into values.
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

/// As guarded(), also for what libtorch throws. All computation passes through here, so this is where threads
/// take turns with a BLAS that they cannot share.
template <class Body>
Result<std::invoke_result_t<Body>> torch_guarded(const Body& body) {
  return guarded([&]() -> std::invoke_result_t<Body> {
    try {
      const BlasTurn turn;
      return body();
    } catch (const Failure&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const c10::Error& error) {
      refuse(Errc::limit, "libtorch: " + first_line(error.what_without_backtrace()));
    } catch (const std::exception& error) {
      refuse(Errc::limit, "language model: " + first_line(error.what()));
    }
  });
}

}  // namespace sotto::lm
