#include "embed/unknown/spelling_index.hpp"

#include <algorithm>
#include <cstdlib>

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
    : words_(words), signatures_(words.size() + kSignaturePadding), numbers_(words.size()) {
  std::array<std::uint32_t, 26 * kLengths> sizes{};
  for (WordNumber number = 0; number < words.size(); ++number) {
    const std::string_view word = words.word(number);
    SOTTO_CHECK(word.size() < kLengths);
    ++sizes[bucket_of(word[0], word.size())];
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(i % kLengths);
    buckets_[i + 1] = {buckets_[i].begin + sizes[i], buckets_[i].letters + sizes[i] * length};
  }
  letters_.resize(buckets_.back().letters);
  std::array<Bucket, 26 * kLengths + 1> next = buckets_;
  for (WordNumber number = 0; number < words.size(); ++number) {
    const std::string_view word = words.word(number);
    Bucket& place = next[bucket_of(word[0], word.size())];
    signatures_[place.begin] = signature_of(word);
    numbers_[place.begin++] = number;
    word.copy(letters_.data() + place.letters, word.size());
    place.letters += static_cast<std::uint32_t>(word.size());
  }
}

std::vector<WordNumber> SpellingIndex::corrections(std::string_view typed, int edits) const {
  SOTTO_CHECK(edits == 1 || edits == 2);
  if (typed.size() < shortest_typed(edits)) return {};
  const std::uint32_t signature = signature_of(typed);
  const EditDistance distance(typed);
  std::vector<std::pair<int, WordNumber>> scored;
  std::vector<std::uint32_t> similar;
  similar.reserve(64);  // rarely more
  for (int difference = -edits; difference <= edits; ++difference) {
    const std::size_t length = typed.size() + static_cast<std::size_t>(difference);
    if (length >= kLengths) break;
    const std::size_t index = bucket_of(typed[0], length);
    const Bucket& bucket = buckets_[index];
    const std::span signatures =
        std::span(signatures_).first(buckets_[index + 1].begin).subspan(bucket.begin);
    // At least as many edits add or remove a letter as the lengths differ by.
    const int most_bits = 2 * edits - std::abs(difference);
    find_similar_signatures(signatures, signature, static_cast<unsigned>(most_bits), similar);
    for (const std::uint32_t place : similar) {
      const std::string_view word(letters_.data() + bucket.letters + place * length, length);
      if (!distance.may_be_within(word, edits) || distance.to(word, edits) != edits) continue;
      const WordNumber number = numbers_[bucket.begin + place];
      const int penalty = edit_cost(typed, word, edits).penalty;
      const int surplus = words_.frequency(number) - penalty;
      if (is_plausible(typed, word, edits, penalty, surplus)) scored.emplace_back(-surplus, number);
    }
  }
  std::sort(scored.begin(), scored.end());
  std::vector<WordNumber> found;
  found.reserve(scored.size());
  for (const auto& [score, number] : scored) found.push_back(number);
  return found;
}

}  // namespace sotto::embed
