// Errors about parameter values. Values given as text are read by sotto/text_values.hpp.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <sotto/text_values.hpp>

#include "base/message.hpp"

namespace sotto::base {

/// "'value' is not allowed; give ..."
template <class T>
tl::unexpected<Error> not_allowed(std::string_view parameter, const T& value, const Message& allowed) {
  const std::string text = fmt::format("{}", value);
  return fail_parameter(parameter, text, format_message("'{}' is not allowed; give {}", text, allowed));
}

}  // namespace sotto::base
