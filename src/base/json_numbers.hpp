// Whole numbers from JSON. nlohmann's own conversion casts any number: too large a number wraps around, a
// fraction is truncated, and a value beyond every integer type is undefined behaviour.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace sotto::base {

/// The value as a T. Throws a nlohmann::json::exception if it is not a whole number or does not fit into T.
template <std::integral T, class Json>
T whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw Json::type_error::create(302, "not a whole number in range", &value);
}

}  // namespace sotto::base
