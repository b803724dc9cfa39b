// Why a request gets no result, as the client is told.
#pragma once

#include <string>
#include <string_view>

#include <sotto/result.hpp>

#include "service/exchange.hpp"

namespace sotto::server {

/// An answer that is an error. It never quotes a text, a subject, an id or a key.
struct Failure {
  Failure(unsigned http_status, std::string_view error_code, std::string_view text,
          std::string_view at_fault = {})
      : status(http_status), code(error_code), message(text), parameter(at_fault) {}
  /// What the library says. Its parameters are the members of a request.
  Failure(const Error& error);  // NOLINT(*-explicit-*): so that SOTTO_TRY converts it

  unsigned status;
  std::string code;
  std::string message;
  std::string parameter;     ///< the member at fault; empty: none
  unsigned retry_after = 0;  ///< seconds; 0: trying again does not help
};

template <class T>
using Outcome = tl::expected<T, Failure>;

/// Shorthands for returning a failure.
tl::unexpected<Failure> unprocessable(std::string_view message, std::string_view parameter = {});
/// Too much waits already.
tl::unexpected<Failure> overloaded(std::string_view message);
/// Something that the service needs does not work now.
tl::unexpected<Failure> unavailable(std::string_view message);

/// {"error": {"code", "message", "parameter"}} on one line, without a line end.
std::string to_json(const Failure& failure);
Response response_of(const Failure& failure);
/// Status 200.
Response json_response(std::string json);

}  // namespace sotto::server
