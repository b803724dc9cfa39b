// Values of parameters given as text, for front ends. Each error names the parameter, the value and what is
// allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Below, the output carries no information; above, it offers no privacy.
inline constexpr double kSmallestEpsilon = 1e-9;
inline constexpr double kLargestEpsilon = 1e6;

/// More threads than this are never started.
inline constexpr unsigned kMostThreads = 1024;

/// ε must be a finite number from kSmallestEpsilon to kLargestEpsilon. Thread-safe.
SOTTO_API Result<double> check_epsilon(std::string_view parameter, double value);

/// A whole number in [low, high]. Thread-safe.
SOTTO_API Result<std::uint64_t> read_integer(std::string_view parameter, std::string_view text,
                                             std::uint64_t low, std::uint64_t high);

/// A finite decimal number in [low, high]. Text such as "nan", "1e400" or "0x1" is not a number and is never
/// rounded to one. Thread-safe.
SOTTO_API Result<double> read_number(std::string_view parameter, std::string_view text, double low,
                                     double high);

/// One of `allowed`; the error lists them. Returns the index. Thread-safe.
SOTTO_API Result<std::size_t> read_choice(std::string_view parameter, std::string_view text,
                                          std::span<const std::string_view> allowed);

/// Same. Thread-safe.
inline Result<std::size_t> read_choice(std::string_view parameter, std::string_view text,
                                       std::initializer_list<std::string_view> allowed) {
  return read_choice(parameter, text, std::span(allowed.begin(), allowed.size()));
}

/// The known name that is most like `typed`, or an empty string if none is. Letter case and the difference
/// between '-', '_' and ' ' hardly count; two neighbouring letters that changed places are one mistake, and
/// so is an abbreviation. Thread-safe.
SOTTO_API std::string closest_name(std::string_view typed, const std::vector<std::string>& known);

}  // namespace sotto
