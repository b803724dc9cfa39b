// Parameters that have names, defaults and values given as text.
#pragma once

#include <span>
#include <string_view>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// `given`, with the defaults of the other parameters. A name that is not among `parameters` is refused with
/// a message that begins with `owner`.
Result<ParameterValues> complete_values(std::string_view owner, std::span<const ParameterInfo> parameters,
                                        const ParameterValues& given);

}  // namespace sotto
