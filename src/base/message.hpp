// Messages of errors that name parameters and hints.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <sotto/result.hpp>

namespace sotto {

/// An argument of format_message: text with its braces doubled, so that nothing in a file's name or a value
/// is taken for a parameter; numbers as they are; a message as the part of one.
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

/// As fmt::format: {} is an argument. {{name}} is a parameter of the library, {{0}} the first hint of the
/// error.
template <class... T>
Message format_message(fmt::format_string<MessagePart<T>...> format, const T&... arguments) {
  return Message::of_pattern(fmt::format(format, message_part(arguments)...));
}

/// The error as one about `place`, a record of a file for example; a parameter is told after it.
inline tl::unexpected<Error> fail_at(std::string_view place, Error error) {
  const std::string parameter = error.parameter.empty() ? "" : fmt::format("{{{}}}: ", error.parameter);
  error.message = fmt::format("{}: {}{}", Message::doubled_braces(place), parameter, error.message);
  return fail(error.code, Message::of_pattern(std::move(error.message)), std::move(error.hints));
}

}  // namespace sotto
