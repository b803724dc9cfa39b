#include "embed/unknown/word_endings.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sotto::embed {
namespace {

constexpr std::size_t kShortestStem = 3;
/// A stem of only three letters is easily found by chance, so it must be a common word: 2¹¹ occurrences.
constexpr int kShortStemFrequency = 11 * kBit;

/// A word may end in `restored` where the string ends in `ending`.
struct Ending {
  std::string_view ending;
  std::array<std::string_view, 2> restored;
  bool doubles;  ///< the stem's last consonant may be doubled: "hugging"
};

// Longest first.
constexpr Ending kEndings[] = {
    {"iness", {"y", "y"}, false},  {"iest", {"y", "y"}, false}, {"able", {"", "e"}, true},
    {"ness", {"", ""}, false},     {"less", {"", ""}, false},   {"like", {"", ""}, false},
    {"ings", {"ing", ""}, true},   {"ers", {"er", ""}, true},   {"ies", {"y", "ie"}, false},
    {"ied", {"y", "y"}, false},    {"ier", {"y", "y"}, false},  {"ily", {"y", "y"}, false},
    {"ing", {"", "e"}, true},      {"est", {"", "e"}, true},    {"ish", {"", "e"}, true},
    {"ful", {"", ""}, false},      {"'s", {"", ""}, false},     {"es", {"", "e"}, false},
    {"ed", {"", "e"}, true},       {"er", {"", "e"}, true},     {"ly", {"", "le"}, false},
    {"in", {"ing", "ing"}, false}, {"s'", {"", "s"}, false},    {"s", {"", ""}, false},
    {"y", {"", ""}, true},         {"z", {"", "s"}, false},     {"a", {"er", "er"}, false},
};

void add_word(std::string_view spelling, const PublicWords& words, std::vector<WordNumber>& found) {
  if (spelling.size() < kShortestStem) return;
  const WordNumber number = words.find(spelling);
  if (number == kNoWord) return;
  if (spelling.size() == kShortestStem && words.frequency(number) < kShortStemFrequency) return;
  found.push_back(number);
}

}  // namespace

std::vector<WordNumber> stems(std::string_view letters, const PublicWords& words) {
  std::vector<WordNumber> found;
  if (letters.empty()) return found;
  for (const Ending& rule : kEndings) {
    if (letters.back() != rule.ending.back() || !letters.ends_with(rule.ending)) continue;
    const std::string_view stem = letters.substr(0, letters.size() - rule.ending.size());
    for (const std::string_view restored : rule.restored)
      add_word(std::string(stem).append(restored), words, found);
    const std::size_t size = stem.size();
    if (rule.doubles && size > kShortestStem && stem[size - 1] == stem[size - 2])
      add_word(stem.substr(0, size - 1), words, found);
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace sotto::embed
