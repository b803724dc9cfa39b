#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <utf8proc.h>

#include <sotto/terminal_text.hpp>

#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace sotto {
using namespace text;
namespace {

constexpr char32_t kControlPictures = 0x2400;  // of the control characters, in their order
constexpr char32_t kDeletePicture = 0x2421;
constexpr std::size_t kMostDecimals = 6;
constexpr int kSignificantDigits = 5;

/// Not below the decimal number `digits`.
std::string rounded_up(std::string_view digits) {
  const double value = std::strtod(std::string(digits).c_str(), nullptr);
  if (value == 0) return std::string(digits);
  const double unit = std::pow(10, std::floor(std::log10(value)) + 1 - kSignificantDigits);
  double units = std::round(value / unit);
  if (units * unit < value) ++units;
  return fmt::format("{:.{}g}", units * unit, kSignificantDigits);
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string out;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint code_point = decode_utf8(text, position);
    if (!code_point.valid)
      out += encode_utf8(kReplacementCharacter).view();
    else if (code_point.value < 0x20)
      out += encode_utf8(kControlPictures + code_point.value).view();
    else if (code_point.value == 0x7F)
      out += encode_utf8(kDeletePicture).view();
    else if (is_printable(code_point))
      out += text.substr(position, code_point.size);
    else
      out += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(code_point.value));
    position += code_point.size;
  }
  return out;
}

std::string rounded_bounds(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const auto after_digits = [&](std::size_t begin) {
    return std::min(text.find_first_not_of(kDigits, begin), text.size());
  };
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t point = after_digits(begin);
    const std::size_t end = point > begin && text.substr(point, 1) == "." ? after_digits(point + 1) : point;
    const bool is_long = end - point > kMostDecimals + 1 && text.substr(end, 1) != "e";
    const std::string_view part = text.substr(begin, std::max(end, begin + 1) - begin);
    out += is_long ? rounded_up(part) : std::string(part);
    begin += part.size();
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint code_point = decode_utf8(text, position);
    width += static_cast<std::size_t>(
        std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point.value))));
    position += code_point.size;
  }
  return width;
}

}  // namespace sotto
