#include <algorithm>

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
