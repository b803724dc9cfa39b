// Command-line values. Each error names the option, the value and what is allowed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::cli {

/// ε as check_epsilon (sotto/text_values.hpp) allows it. Text such as "nan", "1e400" or "0x1" is refused,
/// never rounded to another value.
Result<double> parse_epsilon(std::string_view option, std::string_view text);
Result<double> validate_epsilon(std::string_view option, double value);

/// A whole number in [low, high].
Result<std::uint64_t> parse_integer(std::string_view option, std::string_view text, std::uint64_t low,
                                    std::uint64_t high);

/// A finite decimal number in [low, high].
Result<double> parse_number(std::string_view option, std::string_view text, double low, double high);

/// A byte count such as 64M, 1.5G or 4096.
Result<std::uint64_t> parse_size(std::string_view option, std::string_view text);

/// One of `allowed`; the error lists them. Returns the index.
Result<std::size_t> parse_choice(std::string_view option, std::string_view text,
                                 std::span<const std::string_view> allowed);

}  // namespace sotto::cli
