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

/// An EditCost as one number of the same order, which is compared without branches: a table of words of 48
/// letters has at most 96 edits, and their penalties stay below kOneEdit.
using Cost = std::int32_t;
constexpr Cost kOneEdit = 1 << 20;
constexpr Cost kTooMuch = 1 << 30;
static_assert(2 * text::kMostFoldedLetters * kOtherPenalty < kOneEdit);
static_assert(2 * text::kMostFoldedLetters * kOneEdit < kTooMuch);

/// Rows of the usual table of prefixes, as far as the recurrence looks back, and of each row the columns that
/// so few edits can reach.
class EditTable {
 public:
  EditTable(std::string_view typed, std::string_view word, std::size_t first, std::size_t last_common)
      : typed_(typed),
        word_(word),
        first_(first),
        rows_(typed.size() - first - last_common),
        columns_(word.size() - first - last_common) {
    SOTTO_CHECK(rows_ <= text::kMostFoldedLetters && columns_ <= text::kMostFoldedLetters);
  }

  EditCost run(int most_edits) {
    const auto reach = static_cast<std::size_t>(most_edits);
    const EditCost too_many{most_edits + 1, 0};
    if (std::max(rows_, columns_) - std::min(rows_, columns_) > reach) return too_many;
    Row& top = row(0);
    top[0] = 0;
    for (std::size_t j = 1; j <= columns_; ++j) {
      extra_[j] = kOneEdit + extra_penalty(word_, first_ + j - 1);
      top[j] = top[j - 1] + extra_[j];
    }
    for (std::size_t i = 1; i <= rows_; ++i)
      if (fill_row(i, reach) / kOneEdit > most_edits) return too_many;
    const Cost cost = row(rows_)[columns_];
    return {cost / kOneEdit, cost % kOneEdit};
  }

 private:
  using Row = std::array<Cost, text::kMostFoldedLetters + 2>;

  Row& row(std::size_t i) { return rows_in_use_[i % rows_in_use_.size()]; }

  /// Returns the row's least cost.
  Cost fill_row(std::size_t i, std::size_t reach) {
    const char typed = typed_[first_ + i - 1];
    const Cost extra = kOneEdit + extra_penalty(typed_, first_ + i - 1);
    const std::size_t begin = i > reach ? i - reach : 1;
    const std::size_t end = std::min(columns_, i + reach) + 1;
    Row& current = row(i);
    const Row& above = row(i - 1);
    const Row& before = row(i + 1);  // of i - 2
    current[begin - 1] = begin == 1 ? above[0] + extra : kTooMuch;
    Cost least = current[begin - 1];
    for (std::size_t j = begin; j < end; ++j) {
      const char meant = word_[first_ + j - 1];
      const Cost edit = typed == meant ? 0 : kOneEdit + substitution_penalty(typed, meant);
      Cost best = std::min({above[j - 1] + edit, above[j] + extra, current[j - 1] + extra_[j]});
      if (i > 1 && j > 1 && typed == word_[first_ + j - 2] && typed_[first_ + i - 2] == meant)
        best = std::min(best, before[j - 2] + kOneEdit + kCommonEditPenalty);
      current[j] = best;
      least = std::min(least, best);
    }
    current[end] = kTooMuch;
    return least;
  }

  std::string_view typed_;
  std::string_view word_;
  std::size_t first_;
  std::size_t rows_;
  std::size_t columns_;
  Row extra_;
  std::array<Row, 3> rows_in_use_;
};

}  // namespace

EditDistance::EditDistance(std::string_view typed) : length_(static_cast<int>(typed.size())) {
  SOTTO_CHECK(!typed.empty() && typed.size() < 64);
  for (std::size_t i = 0; i < typed.size(); ++i)
    positions_[static_cast<unsigned char>(typed[i]) & 0x7F] |= std::uint64_t{1} << i;
}

/// A letter of the word was put in or substituted, or it was typed, where the lengths' difference and the
/// edits that are left over may have moved it: by one place, as two of them move letters there and back.
bool EditDistance::may_be_within(std::string_view word, int most_edits) const {
  const int size = static_cast<int>(word.size());
  const int omitted = std::max(length_ - size, 0);
  const int added = std::max(size - length_, 0);
  const int left_over = most_edits - omitted - added;
  if (left_over < 0) return false;
  const int moved = std::min(left_over, 1);
  std::uint64_t reach = (std::uint64_t{2} << (moved + omitted)) - 1;  // positions of the letter at hand
  std::uint64_t next = (std::uint64_t{1} << (moved + added)) - 1;     // still within reach at the lower end
  int strange = 0;
  for (const char c : word) {
    strange += (positions_[static_cast<unsigned char>(c) & 0x7F] & reach) == 0 ? 1 : 0;
    reach = reach << 1 | (next & 1);
    next >>= 1;
  }
  return strange <= left_over + added;
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
