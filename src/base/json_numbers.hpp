// Whole numbers out of JSON. nlohmann's own conversion casts whatever number stands there: a larger one wraps
// around, a fraction is cut, and one beyond all integers is undefined.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace sotto {

/// The value as a T. Throws a nlohmann::json::exception when it is no whole number, or one that T cannot
/// hold.
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

}  // namespace sotto
