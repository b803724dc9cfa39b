#include "embed/unknown/spelling_index.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "embed/unknown/edit_cost.hpp"
#include "embed/unknown/unknown_kernels.hpp"

namespace sotto::embed {
namespace {

constexpr std::size_t shortest_typed(int edits) {
  return edits == 1 ? 3 : 6;
}

/// Short strings are near many words, so there the word must be more frequent than the edit is rare, by
/// `surplus`; and three letters may be initials, so there it must be no shorter, and the edit a likely one.
bool is_plausible(std::string_view typed, std::string_view word, int edits, int penalty, int surplus) {
  if (edits == 2) return typed.size() >= 8 || surplus >= 3 * kBit;
  if (typed.size() >= 6) return true;
  if (typed.size() == 5) return surplus >= 3 * kBit;
  return surplus >= 8 * kBit && (typed.size() == 4 || (word.size() >= 3 && penalty <= 5 * kBit));
}

/// A bit for each letter that occurs, and six for letters that occur twice, each shared by several. So
/// removing or adding a letter changes at most one bit.
std::uint32_t signature_of(std::string_view word) {
  std::uint32_t once = 0;
  std::uint32_t twice = 0;
  for (const char c : word) {
    if (c < 'a' || c > 'z') continue;
    const auto letter = static_cast<unsigned>(c - 'a');
    if ((once >> letter & 1) != 0) twice |= std::uint32_t{1} << (26 + letter % 6);
    once |= std::uint32_t{1} << letter;
  }
  return once | twice;
}

}  // namespace

SpellingIndex::SpellingIndex(const PublicWords& words)
    : words_(words), signatures_(words.size()), numbers_(words.size()) {
  const auto bucket_of = [&](WordNumber number) {
    const std::string_view word = words.word(number);
    return static_cast<std::size_t>(word[0] - 'a') * kLengths + std::min(word.size(), kLengths - 1);
  };
  for (WordNumber number = 0; number < words.size(); ++number) ++begins_[bucket_of(number) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end());
  for (WordNumber number = 0; number < words.size(); ++number) {
    const std::uint32_t place = next[bucket_of(number)]++;
    signatures_[place] = signature_of(words.word(number));
    numbers_[place] = number;
  }
}

std::size_t SpellingIndex::begin_of(char first, std::size_t length) const {
  return begins_[static_cast<std::size_t>(first - 'a') * kLengths + std::min(length, kLengths)];
}

/// If the lengths differ by n, at least n of the edits add or remove a letter.
std::vector<std::uint32_t> SpellingIndex::candidates(std::string_view typed, std::size_t edits) const {
  const std::uint32_t signature = signature_of(typed);
  std::vector<std::uint32_t> places;
  for (std::size_t length = typed.size() - edits; length <= typed.size() + edits; ++length) {
    const std::size_t difference = std::max(length, typed.size()) - std::min(length, typed.size());
    const std::size_t begin = begin_of(typed[0], length);
    const std::size_t end = begin_of(typed[0], length + 1);
    find_similar_signatures(std::span(signatures_).subspan(begin, end - begin), signature,
                            static_cast<unsigned>(2 * edits - difference), static_cast<std::uint32_t>(begin),
                            places);
  }
  return places;
}

std::vector<WordNumber> SpellingIndex::corrections(std::string_view typed, int edits) const {
  SOTTO_CHECK(edits == 1 || edits == 2);
  if (typed.size() < shortest_typed(edits)) return {};
  const EditDistance distance(typed);
  std::vector<std::pair<int, WordNumber>> scored;
  for (const std::uint32_t place : candidates(typed, static_cast<std::size_t>(edits))) {
    const WordNumber number = numbers_[place];
    if (distance.to(words_.word(number), edits) != edits) continue;
    const int penalty = edit_cost(typed, words_.word(number), edits).penalty;
    const int surplus = words_.frequency(number) - penalty;
    if (is_plausible(typed, words_.word(number), edits, penalty, surplus))
      scored.emplace_back(-surplus, number);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<WordNumber> found;
  for (const auto& [score, number] : scored) found.push_back(number);
  return found;
}

}  // namespace sotto::embed
