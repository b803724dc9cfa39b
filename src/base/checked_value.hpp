// Checks parameter values in one place. Each error names the parameter, the value and what is allowed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/message.hpp"

namespace sotto {

/// "'value' is not allowed; give ..."
template <class T>
tl::unexpected<Error> not_allowed(std::string_view parameter, const T& value, const Message& allowed) {
  const std::string text = fmt::format("{}", value);
  return fail_parameter(parameter, text, format_message("'{}' is not allowed; give {}", text, allowed));
}

/// ε must be a finite number in [1e-9, 1e6]: below, the output carries no information; above, no privacy.
Result<double> check_epsilon(std::string_view parameter, double value);

/// Values given as text, mainly mechanism parameters. Text such as "nan", "1e400" or "0x1" is not a number
/// and is never rounded to one.

/// A whole number in [low, high].
Result<std::uint64_t> read_integer(std::string_view parameter, std::string_view text, std::uint64_t low,
                                   std::uint64_t high);

/// A finite decimal number in [low, high].
Result<double> read_number(std::string_view parameter, std::string_view text, double low, double high);

/// One of `allowed`; the error lists them. Returns the index.
Result<std::size_t> read_choice(std::string_view parameter, std::string_view text,
                                const std::vector<std::string_view>& allowed);

}  // namespace sotto
