// Which policies a request may ask for instead of its profile's.
#pragma once

#include <string_view>

#include <sotto/policy.hpp>

#include "service/failure.hpp"

namespace sotto::server {

/// Whether a part of a policy ("oov", "numbers" …), given as text, may be `wanted` where it is `current`:
/// only if the output then shows no more of the text than before.
bool is_as_strict(std::string_view part, std::string_view current, std::string_view wanted);

/// `policy` with one part changed; a failure if that would loosen it.
Outcome<Policy> with_stricter_part(const Policy& policy, std::string_view part, std::string_view wanted);

}  // namespace sotto::server
