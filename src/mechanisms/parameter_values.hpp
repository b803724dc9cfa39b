// Parameters that have names, defaults and values given as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto::mechanism {

/// The canonical spelling of a value: numbers, including those in a list, are the shortest decimal that reads
/// back as the same double, 0 has no sign, and whole numbers below 2^53 have no exponent. Anything that is
/// not a number stays unchanged.
std::string canonical_value(const ParameterInfo& parameter, std::string_view value);

/// `given` plus the defaults of the other parameters, all in canonical spelling. A name that is not among
/// `parameters` is refused with a message that begins with `owner`.
Result<ParameterValues> complete_values(std::string_view owner, std::span<const ParameterInfo> parameters,
                                        const ParameterValues& given);

}  // namespace sotto::mechanism
