#include "preview_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "wrapped_text.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kNarrow = 60;      // below this width, texts are stacked
constexpr std::size_t kMostShown = 400;  // words of a document
constexpr std::string_view kGap = " | ";
constexpr std::string_view kBeforeColour = "\x1b[31m";
constexpr std::string_view kAfterColour = "\x1b[32m";
constexpr std::string_view kNoColour = "\x1b[0m";

/// Marks the words that are in only one of the two texts, by their longest common subsequence.
void mark_by_subsequence(ShownLine& before, ShownLine& after) {
  const std::size_t columns = after.size() + 1;
  // common[i * columns + j]: the length for the words of `before` from i on and of `after` from j on.
  std::vector<std::uint32_t> common((before.size() + 1) * columns, 0);
  for (std::size_t i = before.size(); i-- > 0;)
    for (std::size_t j = after.size(); j-- > 0;)
      common[i * columns + j] = before[i].text == after[j].text
                                    ? common[(i + 1) * columns + j + 1] + 1
                                    : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() && j < after.size()) {
    if (before[i].text == after[j].text) {
      ++i, ++j;
    } else if (common[(i + 1) * columns + j] >= common[i * columns + j + 1]) {
      before[i++].marked = true;
    } else {
      after[j++].marked = true;
    }
  }
  for (; i < before.size(); ++i) before[i].marked = true;
  for (; j < after.size(); ++j) after[j].marked = true;
}

/// Marks what changed. Mechanisms that keep the places of words keep their number.
void mark_changes(ShownLine& before, ShownLine& after) {
  if (before.size() != after.size()) return mark_by_subsequence(before, after);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i].marked = after[i].marked = before[i].text != after[i].text;
}

void cut(ShownLine& words) {
  if (words.size() <= kMostShown) return;
  const std::size_t more = words.size() - kMostShown;
  words.resize(kMostShown);
  words.push_back({fmt::format("... ({} more)", more)});
}

std::string coloured(const ShownLine& line, std::string_view colour) {
  std::string text;
  for (const ShownWord& word : line) {
    if (!text.empty()) text += ' ';
    const bool marked = word.marked && !colour.empty();
    text.append(marked ? colour : "").append(word.text).append(marked ? kNoColour : "");
  }
  return text;
}

std::string padding(std::size_t width, const ShownLine& line) {
  const std::size_t used = line_width(line);
  return std::string(width > used ? width - used : 0, ' ');
}

/// Two texts, and how they are shown.
struct TextPair {
  ShownLine before;
  ShownLine after;
  std::size_t width;
  bool colours;

  std::string_view before_colour() const { return colours ? kBeforeColour : ""; }
  std::string_view after_colour() const { return colours ? kAfterColour : ""; }
};

std::string in_columns(const TextPair& pair) {
  const std::size_t column = (pair.width - kGap.size()) / 2;
  const std::vector<ShownLine> left = wrap_words(pair.before, column);
  const std::vector<ShownLine> right = wrap_words(pair.after, column);
  std::string out;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const ShownLine none;
    const ShownLine& line = i < left.size() ? left[i] : none;
    out += coloured(line, pair.before_colour()) + padding(column, line);
    out += kGap;
    if (i < right.size()) out += coloured(right[i], pair.after_colour());
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string stacked(const TextPair& pair) {
  constexpr std::size_t kIndent = 2;
  const std::size_t width = pair.width > kIndent ? pair.width - kIndent : 0;
  std::string out;
  for (const ShownLine& line : wrap_words(pair.before, width))
    out += "- " + coloured(line, pair.before_colour()) + '\n';
  for (const ShownLine& line : wrap_words(pair.after, width))
    out += "+ " + coloured(line, pair.after_colour()) + '\n';
  return out;
}

std::string place_of(const PreviewedDocument& document) {
  return fmt::format("{}, record {}{}{}", document.input, document.record, document.field.empty() ? "" : ", ",
                     document.field);
}

}  // namespace

std::string preview_table(const Preview& preview, std::size_t width, bool colours) {
  std::string out;
  for (const PreviewedDocument& document : preview.documents) {
    if (!out.empty()) out += '\n';
    TextPair pair{shown_words(document.before), shown_words(document.after), width, colours};
    cut(pair.before);
    cut(pair.after);
    mark_changes(pair.before, pair.after);
    out += wrapped(place_of(document), width, "== ", "== ");
    out += width < kNarrow ? stacked(pair) : in_columns(pair);
  }
  return out;
}

}  // namespace sotto::cli
