#include "text/printable.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

namespace sotto::text {
namespace {

// Enough to recognize one's own columns. A file without a header has a data record in its place.
constexpr std::size_t kMostBytes = 32;
constexpr std::size_t kMostNames = 20;

}  // namespace

bool is_printable(const CodePoint& code_point) {
  if (!code_point.valid) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point.value))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

std::string printable(std::string_view name) {
  std::string text;
  std::size_t position = 0;
  while (position < name.size() && position < kMostBytes) {
    const CodePoint code_point = decode_utf8(name, position);
    const std::string_view bytes = name.substr(position, code_point.size);
    position += bytes.size();
    if (is_printable(code_point)) {
      text += bytes;
      continue;
    }
    for (const char byte : bytes) text += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  }
  return position < name.size() ? text + "…" : text;
}

bool has_control_characters(std::string_view name) {
  for (std::size_t position = 0; position < name.size();) {
    const auto [value, size, valid] = decode_utf8(name, position);
    const bool is_control = value < 0x20 || (value >= 0x7F && value < 0xA0);
    if (value != '\t' && (is_control || value == 0x2028 || value == 0x2029)) return true;
    position += size;
  }
  return false;
}

std::string list_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) shown.push_back(printable(names[i]));
  const std::string list = fmt::format("{}", fmt::join(shown, ", "));
  return names.size() <= kMostNames ? list : fmt::format("{} and {} more", list, names.size() - kMostNames);
}

}  // namespace sotto::text
