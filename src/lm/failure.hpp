// Opening a checkpoint can fail in a hundred places, and ATen throws. So below the interface of language
// models errors travel as exceptions; guarded() turns them into values.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <sotto/result.hpp>

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

/// Returns body()'s value, or as an error the Failure it threw or that memory ran out.
template <class Body>
Result<std::invoke_result_t<Body>> guarded(const Body& body) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return tl::unexpected(failure.error());
  } catch (const std::bad_alloc&) {
    return fail(Errc::limit, "there is not enough memory for the language model");
  }
}

}  // namespace sotto::lm
