#include "embed/unknown/token_spellings.hpp"

#include <algorithm>

namespace sotto::embed {
namespace {

constexpr bool is_joiner(char c) {
  return c == '-' || c == '\'';
}

}  // namespace

std::vector<std::string> shortened(std::string_view letters) {
  constexpr unsigned kMostRuns = 4;
  unsigned runs = 0;
  for (std::size_t i = 2; i < letters.size(); ++i)
    if (letters[i] == letters[i - 1] && letters[i] == letters[i - 2]) ++runs;
  std::vector<std::string> spellings;
  if (runs == 0) {
    spellings.emplace_back(letters);
    return spellings;
  }
  for (unsigned singles = 0; singles < 1U << std::min(runs, kMostRuns); ++singles) {
    std::string& spelling = spellings.emplace_back();
    unsigned run = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      spelling += letters[i];
      if (i < 2 || letters[i] != letters[i - 1] || letters[i] != letters[i - 2]) continue;
      spelling.resize(spelling.size() - (singles >> std::min(run, kMostRuns - 1) & 1) - 1);
      ++run;
    }
  }
  return spellings;
}

std::string without_joiners(std::string letters) {
  std::erase_if(letters, is_joiner);
  return letters;
}

std::vector<std::string_view> parts_of(const text::FoldedToken& token) {
  const std::string_view letters = token.letters;
  if (token.part_begins.empty() && std::none_of(letters.begin(), letters.end(), is_joiner)) return {letters};
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  auto next = token.part_begins.begin();
  for (std::size_t i = 0; i <= letters.size(); ++i) {
    const bool joiner = i < letters.size() && is_joiner(letters[i]);
    const bool boundary = next != token.part_begins.end() && *next == i;
    if (boundary) ++next;
    if (!joiner && !boundary && i < letters.size()) continue;
    if (i > begin) parts.push_back(letters.substr(begin, i - begin));
    begin = joiner ? i + 1 : i;
  }
  return parts;
}

}  // namespace sotto::embed
