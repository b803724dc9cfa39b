// ATen throws, so inside the plugin errors travel as exceptions; at its boundary guarded() turns them into
// values.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <c10/util/Exception.h>

#include <sotto/result.hpp>

#include "lm/torch/blas.hpp"

namespace sotto::lm {

/// An error on its way to the boundary.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

[[noreturn]] inline void refuse(Errc code, const std::string& message) {
  throw Failure(fail(code, message).value());
}

/// Returns the value or throws the error.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Failure(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

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
