// Words on lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::cli {

struct ShownWord {
  std::string text;     ///< visible (see visible_text)
  bool marked = false;  ///< shown in a colour, where there are colours
};
using ShownLine = std::vector<ShownWord>;

/// The words of a text of unknown origin, made visible.
ShownLine shown_words(std::string_view text);

/// Lines of at most `width` columns, at least 2; longer words are broken. At least one line.
std::vector<ShownLine> wrap_words(const ShownLine& words, std::size_t width);

/// The columns that a line takes.
std::size_t line_width(const ShownLine& line);

/// `text` wrapped to `width` columns, its first line after `first`, the others after `next`.
std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view next);

}  // namespace sotto::cli
