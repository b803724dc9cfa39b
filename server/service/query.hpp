// The query of a URL.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "service/json_reader.hpp"

namespace sotto::server {

/// "profile=mail&epsilon=2" as the object that a body would hold: members in `numbers` are numbers, all
/// others texts. The same is refused as in a body.
Outcome<JsonObject> object_of_query(std::string_view query, std::span<const std::string_view> known,
                                    std::span<const std::string_view> numbers);

}  // namespace sotto::server
