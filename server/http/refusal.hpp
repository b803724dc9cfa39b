// Answers that the transport gives by itself, in the form of the service's errors.
#pragma once

#include <string_view>

#include "service/exchange.hpp"

namespace sotto::server {

/// Why a request does not get as far as the service. The texts are literals: nothing of a request is in them.
struct Refusal {
  unsigned status = 400;
  std::string_view code = "invalid_argument";
  std::string_view message;
  unsigned retry_after = 0;  ///< seconds; 0: not stated
};

/// {"error": {"code": …, "message": …}}
Response response_to(const Refusal& refusal);

std::string_view reason_phrase(unsigned status);

}  // namespace sotto::server
