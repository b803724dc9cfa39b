#include "service/failure.hpp"

#include <sotto/error_text.hpp>

#include "service/json_writer.hpp"

namespace sotto::server {
namespace {

constexpr unsigned kRetrySeconds = 1;

struct Meaning {
  unsigned status;
  const char* code;
};

/// A request is at fault for values that are not allowed; for all else, it is what the service runs on.
Meaning meaning_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
      return {422, "invalid_argument"};
    case Errc::not_found:
      return {422, "not_found"};
    case Errc::limit:
      return {422, "limit"};
    case Errc::io:
      return {503, "io"};
    case Errc::bad_format:
      return {503, "bad_format"};
    case Errc::interrupted:
      return {503, "interrupted"};
    case Errc::closed_pipe:
      return {503, "closed_pipe"};
  }
  return {500, "unavailable"};
}

/// Files and folders are the operator's business.
std::string public_message(const Error& error, unsigned status) {
  if (status >= 500) return "something that this needs does not work now";
  const Spelling spelling{[](std::string_view parameter) { return std::string(parameter); },
                          [](const Hint& hint) { return describe(hint); }};
  const std::string message = describe(error, spelling);
  // Most likely a path, whichever error it stands in.
  return message.find('/') == std::string::npos ? message : "this server does not have what it would take";
}

tl::unexpected<Failure> later(std::string_view code, std::string_view message) {
  Failure failure(503, code, message);
  failure.retry_after = kRetrySeconds;
  return tl::unexpected(std::move(failure));
}

}  // namespace

Failure::Failure(const Error& error)
    : status(meaning_of(error.code).status),
      code(meaning_of(error.code).code),
      message(public_message(error, status)),
      parameter(error.parameter),
      retry_after(status >= 500 ? kRetrySeconds : 0) {}

tl::unexpected<Failure> unprocessable(std::string_view message, std::string_view parameter) {
  return tl::unexpected(Failure(422, "unprocessable", message, parameter));
}

tl::unexpected<Failure> overloaded(std::string_view message) {
  return later("overloaded", message);
}

tl::unexpected<Failure> unavailable(std::string_view message) {
  return later("unavailable", message);
}

std::string to_json(const Failure& failure) {
  std::string json = R"({"error":{"code":)";
  append_json(json, failure.code);
  json += R"(,"message":)";
  append_json(json, failure.message);
  json += R"(,"parameter":)";
  append_json(json, failure.parameter);
  json += "}}";
  return json;
}

Response response_of(const Failure& failure) {
  Response response{failure.status, "application/json", {}, to_json(failure) + "\n"};
  if (failure.retry_after > 0)
    response.headers.emplace_back("retry-after", std::to_string(failure.retry_after));
  return response;
}

Response json_response(std::string json) {
  return {200, "application/json", {}, std::move(json)};
}

}  // namespace sotto::server
