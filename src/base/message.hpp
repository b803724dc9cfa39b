// Error messages that refer to parameters and hints.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <sotto/result.hpp>

namespace sotto::base {

/// An argument of format_message: text with its braces doubled, so that nothing in a file name or a value is
/// taken for a parameter; numbers unchanged; a message as part of the larger one.
template <class T>
auto message_part(const T& argument) {
  if constexpr (std::is_same_v<T, Message>) {
    return argument.pattern;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return argument;
  } else {
    static_assert(std::convertible_to<const T&, std::string_view>, "give texts, numbers and messages");
    return Message::doubled_braces(argument);
  }
}

template <class T>
using MessagePart = decltype(message_part(std::declval<const T&>()));

/// Like fmt::format: {} is an argument, {{name}} a parameter of the library, {{0}} the error's first hint.
template <class... T>
Message format_message(fmt::format_string<MessagePart<T>...> format, const T&... arguments) {
  return Message::of_pattern(fmt::format(format, message_part(arguments)...));
}

/// The error, prefixed with `place`, such as a record of a file; the parameter, if any, follows. A request to
/// stop has no place.
inline tl::unexpected<Error> fail_at(std::string_view place, Error error) {
  if (error.code == Errc::interrupted) return tl::unexpected<Error>(std::move(error));
  const std::string parameter = error.parameter.empty() ? "" : fmt::format("{{{}}}: ", error.parameter);
  error.message = fmt::format("{}: {}{}", Message::doubled_braces(place), parameter, error.message);
  return fail(error.code, Message::of_pattern(std::move(error.message)), std::move(error.hints));
}

}  // namespace sotto::base
