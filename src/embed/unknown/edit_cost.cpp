#include "embed/unknown/edit_cost.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.hpp"
#include "text/token_folding.hpp"

namespace sotto::embed {
namespace {

constexpr int kLetterPenalty = 5 * 256;   // a letter too many or missing
constexpr int kVowelPenalty = 4 * 256;    // one vowel for another
constexpr int kNearKeyPenalty = 6 * 256;  // the key beside it
constexpr int kOtherPenalty = 8 * 256;

constexpr bool is_vowel(char letter) {
  return std::string_view("aeiouy").find(letter) != std::string_view::npos;
}

constexpr bool are_near_keys(char a, char b) {
  for (const std::string_view row : {"qwertyuiop", "asdfghjkl", "zxcvbnm"}) {
    const std::size_t at = row.find(a);
    if (at == std::string_view::npos) continue;
    const std::size_t other = row.find(b);
    return other != std::string_view::npos && (at > other ? at - other : other - at) == 1;
  }
  return false;
}

using Penalties = std::array<std::array<int, 26>, 26>;

constexpr Penalties kSubstitutions = [] {
  Penalties penalties{};
  for (int a = 0; a < 26; ++a) {
    for (int b = 0; b < 26; ++b) {
      const char typed = static_cast<char>('a' + a);
      const char meant = static_cast<char>('a' + b);
      const bool vowels = is_vowel(typed) && is_vowel(meant);
      penalties[a][b] = vowels                        ? kVowelPenalty
                        : are_near_keys(typed, meant) ? kNearKeyPenalty
                                                      : kOtherPenalty;
    }
  }
  return penalties;
}();

int substitution_penalty(char typed, char meant) {
  const bool letters = typed >= 'a' && typed <= 'z' && meant >= 'a' && meant <= 'z';
  return letters
             ? kSubstitutions[static_cast<std::size_t>(typed - 'a')][static_cast<std::size_t>(meant - 'a')]
             : kOtherPenalty;
}

/// Of the letter text[i], which the other spelling lacks.
int extra_penalty(std::string_view text, std::size_t i) {
  const char letter = text[i];
  if (letter == '\'' || letter == '-') return kCommonEditPenalty - 256;
  const bool doubled = (i > 0 && text[i - 1] == letter) || (i + 1 < text.size() && text[i + 1] == letter);
  return doubled ? kCommonEditPenalty - 256 : kLetterPenalty;
}

EditCost plus(const EditCost& cost, int penalty) {
  return {cost.edits + 1, cost.penalty + penalty};
}

/// Rows of the usual table of prefixes, as far as the recurrence looks back.
class EditTable {
 public:
  EditTable(std::string_view typed, std::string_view word, std::size_t first, std::size_t last_common)
      : typed_(typed),
        word_(word),
        first_(first),
        rows_(typed.size() - first - last_common),
        columns_(word.size() - first - last_common) {
    SOTTO_CHECK(columns_ <= text::kMostFoldedLetters);
  }

  EditCost run(int most_edits) {
    current_[0] = {0, 0};
    for (std::size_t j = 1; j <= columns_; ++j)
      current_[j] = plus(current_[j - 1], extra_penalty(word_, first_ + j - 1));
    for (std::size_t i = 1; i <= rows_; ++i) {
      std::swap(before_, previous_);
      std::swap(previous_, current_);
      if (fill_row(i) > most_edits) return {most_edits + 1, 0};
    }
    return current_[columns_];
  }

 private:
  using Row = std::array<EditCost, text::kMostFoldedLetters + 1>;

  int fill_row(std::size_t i) {
    const char typed = typed_[first_ + i - 1];
    const int extra = extra_penalty(typed_, first_ + i - 1);
    current_[0] = plus(previous_[0], extra);
    int fewest = current_[0].edits;
    for (std::size_t j = 1; j <= columns_; ++j) {
      const char meant = word_[first_ + j - 1];
      EditCost best =
          typed == meant ? previous_[j - 1] : plus(previous_[j - 1], substitution_penalty(typed, meant));
      best = std::min(best, plus(previous_[j], extra));
      best = std::min(best, plus(current_[j - 1], extra_penalty(word_, first_ + j - 1)));
      if (i > 1 && j > 1 && typed == word_[first_ + j - 2] && typed_[first_ + i - 2] == meant)
        best = std::min(best, plus(before_[j - 2], kCommonEditPenalty));
      current_[j] = best;
      fewest = std::min(fewest, best.edits);
    }
    return fewest;
  }

  std::string_view typed_;
  std::string_view word_;
  std::size_t first_;
  std::size_t rows_;
  std::size_t columns_;
  Row before_;
  Row previous_;
  Row current_;
};

}  // namespace

EditDistance::EditDistance(std::string_view typed) : length_(static_cast<int>(typed.size())) {
  SOTTO_CHECK(!typed.empty() && typed.size() < 64);
  for (std::size_t i = 0; i < typed.size(); ++i)
    positions_[static_cast<unsigned char>(typed[i]) & 0x7F] |= std::uint64_t{1} << i;
}

int EditDistance::to(std::string_view word, int most_edits) const {
  const std::uint64_t last = std::uint64_t{1} << (length_ - 1);
  std::uint64_t rises = ~std::uint64_t{0};  // of the column, from one row to the next
  std::uint64_t falls = 0;
  std::uint64_t same = 0;  // as the diagonal neighbour
  std::uint64_t previous = 0;
  int distance = length_;
  // Each further letter lowers the distance by at most 1.
  int hopeless = most_edits + static_cast<int>(word.size());
  for (const char c : word) {
    const std::uint64_t here = positions_[static_cast<unsigned char>(c) & 0x7F];
    const std::uint64_t swapped = ((~same & here) << 1) & previous;
    same = (((here & rises) + rises) ^ rises) | here | falls | swapped;
    std::uint64_t right_rises = falls | ~(same | rises);
    std::uint64_t right_falls = same & rises;
    distance += ((right_rises & last) != 0) - ((right_falls & last) != 0);
    if (distance >= hopeless--) return distance;
    right_rises = right_rises << 1 | 1;
    right_falls <<= 1;
    rises = right_falls | ~(same | right_rises);
    falls = right_rises & same;
    previous = here;
  }
  return distance;
}

EditCost edit_cost(std::string_view typed, std::string_view word, int most_edits) {
  const std::size_t shorter = std::min(typed.size(), word.size());
  std::size_t first = 0;
  while (first < shorter && typed[first] == word[first]) ++first;
  std::size_t last = 0;
  while (last < shorter - first && typed[typed.size() - 1 - last] == word[word.size() - 1 - last]) ++last;
  return EditTable(typed, word, first, last).run(most_edits);
}

}  // namespace sotto::embed
