// How far apart two spellings are, and how likely it is that one was typed for the other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sotto::embed {

/// The fewest insertions, deletions, substitutions and swaps of neighbours (Damerau's distance, no letter
/// edited twice), and the smallest penalty with which that many edits suffice.
struct EditCost {
  int edits;
  int penalty;  ///< in the unit of PublicWords::frequency: what an edit's rarity is worth

  auto operator<=>(const EditCost&) const = default;
};

/// What an edit costs that people make all the time: a letter doubled or not, an apostrophe left out, two
/// letters swapped. Others cost more.
inline constexpr int kCommonEditPenalty = 3 * 256;

/// Damerau's distance from one spelling to many words: a column of the usual table at a time, as bits (Hyyrö
/// 2003).
class EditDistance {
 public:
  /// `typed` has 1 to 63 ASCII characters.
  explicit EditDistance(std::string_view typed);

  /// False only if more than `most_edits` (at most 2) are needed. Much faster than to().
  bool may_be_within(std::string_view word, int most_edits) const;

  /// As EditCost::edits if at most `most_edits`, otherwise any larger number; `word` is ASCII.
  int to(std::string_view word, int most_edits) const;

 private:
  int length_;
  std::array<std::uint64_t, 128> positions_{};  // of each character
};

/// Exact if at most `most_edits`; otherwise only `edits` > most_edits is meaningful. Words of up to 48
/// letters.
EditCost edit_cost(std::string_view typed, std::string_view word, int most_edits);

}  // namespace sotto::embed
