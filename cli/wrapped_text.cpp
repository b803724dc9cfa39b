#include "wrapped_text.hpp"

#include <algorithm>

#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The length in bytes of the longest beginning of `text` that fits, at least one character.
std::size_t fitting_prefix(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (end > 0 && display_width(text.substr(0, next)) > width) break;
    end = next;
  }
  return end;
}

}  // namespace

ShownLine shown_words(std::string_view text) {
  ShownLine words;
  for (std::size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back({visible_text(text.substr(begin, end - begin))});
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::vector<ShownLine> wrap_words(const ShownLine& words, std::size_t width) {
  width = std::max<std::size_t>(width, 2);  // a wide character takes two columns
  std::vector<ShownLine> lines(1);
  std::size_t used = 0;
  for (ShownWord word : words) {
    if (used > 0 && used + 1 + display_width(word.text) > width) {
      lines.emplace_back();
      used = 0;
    }
    while (display_width(word.text) > width) {
      const std::size_t end = fitting_prefix(word.text, width);
      lines.back().push_back({word.text.substr(0, end), word.marked});
      lines.emplace_back();
      word.text.erase(0, end);
    }
    used += (used > 0 ? 1 : 0) + display_width(word.text);
    if (!word.text.empty()) lines.back().push_back(std::move(word));
  }
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t line_width(const ShownLine& line) {
  std::size_t width = line.empty() ? 0 : line.size() - 1;
  for (const ShownWord& word : line) width += display_width(word.text);
  return width;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view next) {
  const std::size_t indent = display_width(first);
  std::string out;
  std::string_view before = first;
  for (const ShownLine& line : wrap_words(shown_words(text), width > indent ? width - indent : 0)) {
    out += before;
    for (const ShownWord& word : line) out.append(&word == line.data() ? "" : " ").append(word.text);
    out += '\n';
    before = next;
  }
  return out;
}

}  // namespace sotto::cli
