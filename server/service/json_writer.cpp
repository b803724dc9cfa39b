#include "service/json_writer.hpp"

#include <array>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace sotto::server {
namespace {

constexpr std::array<bool, 256> must_be_escaped() {
  std::array<bool, 256> escaped{};
  for (std::size_t i = 0; i < 0x20; ++i) escaped[i] = true;
  escaped['"'] = escaped['\\'] = true;
  return escaped;
}
constexpr std::array<bool, 256> kEscaped = must_be_escaped();

void append_escape(std::string& json, unsigned char character) {
  switch (character) {
    case '"':
      json += "\\\"";
      return;
    case '\\':
      json += "\\\\";
      return;
    case '\n':
      json += "\\n";
      return;
    case '\t':
      json += "\\t";
      return;
    case '\r':
      json += "\\r";
      return;
    default:
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", character);
  }
}

}  // namespace

void append_json(std::string& json, std::string_view text) {
  json += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto character = static_cast<unsigned char>(text[i]);
    if (!kEscaped[character]) continue;
    json.append(text, begin, i - begin);
    append_escape(json, character);
    begin = i + 1;
  }
  json.append(text, begin);
  json += '"';
}

std::string on_one_line(std::string_view json) {
  std::string line;
  line.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const bool is_escape = in_string && json[i] == '\\' && i + 1 < json.size();
    if (json[i] == '"') in_string = !in_string;
    if (in_string || (json[i] != ' ' && json[i] != '\n')) line += json[i];
    if (is_escape) line += json[++i];
  }
  return line;
}

}  // namespace sotto::server
