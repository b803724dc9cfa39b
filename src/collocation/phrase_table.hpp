// The internals of a phrase table, for the library's own loops.
//
// The tensors, in a separate file or in a model file:
//   phrase_words          U8  [bytes]      the distinct words of the phrases, concatenated in byte order
//   phrase_word_offsets   U32 [words + 1]  word i is phrase_words[offsets[i], offsets[i + 1])
//   phrase_word_index     U64 [2^k]        hash table of the words (phrase_hash.hpp)
//   phrase_ids            U32 [phrases, 3] word ids of each phrase, rows ascending; a pair has kNoWord as
//                                          its third, which counts as the lowest
//   phrase_scores         I32 [phrases]    PMI in units of 2⁻¹⁶
//   phrase_counts         U64 [phrases]
//   phrase_index          U64 [2^k]        hash table of the phrases by word ids
// Opening checks types, shapes and words. A lookup checks everything it reads against the sizes, so a damaged
// index gives wrong answers at worst; verify() finds those.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/collocations.hpp>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "collocation/phrase_hash.hpp"

namespace sotto::collocation {

inline constexpr std::string_view kPhraseFormatName = "sotto-phrases";
/// Metadata key and value that accompany the tensors, in a model file too.
inline constexpr std::string_view kPhraseVersionKey = "phrase_version";
inline constexpr std::string_view kPhraseVersion = "1";
/// One bit of PMI in the units of phrase_scores.
inline constexpr double kScoreUnit = 65536;

}  // namespace sotto::collocation

namespace sotto {

struct PhraseTable::Impl {
  std::filesystem::path path;
  base::MappedFile file;
  base::Safetensors parsed;
  std::string digest;
  std::string stored_sha256;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string_view words;
  std::span<const std::uint32_t> word_offsets;
  std::span<const std::uint64_t> word_slots;
  std::span<const collocation::PhraseWords> ids;
  std::span<const std::int32_t> scores;
  std::span<const std::uint64_t> counts;
  std::span<const std::uint64_t> phrase_slots;

  Result<void> load();
  std::uint32_t word_count() const { return static_cast<std::uint32_t>(word_offsets.size() - 1); }

  /// Empty for an invalid id.
  std::string_view word(std::uint32_t id) const {
    if (id >= word_count()) return {};
    const std::uint32_t begin = word_offsets[id];
    const std::uint32_t end = word_offsets[id + 1];
    if (begin > end || end > words.size()) return {};
    return {words.data() + begin, end - begin};
  }

  /// The id of a word in lookup form, or kNoWord. `hash` is its hash_word.
  std::uint32_t find_word(std::string_view spelling, std::uint64_t hash) const {
    return collocation::find_slot(word_slots, hash, [&](std::uint32_t id) { return word(id) == spelling; });
  }
  std::uint32_t find_word(std::string_view spelling) const {
    return find_word(spelling, collocation::hash_word(spelling));
  }
  PhraseId find_phrase(const collocation::PhraseWords& phrase, std::uint64_t hash) const {
    return collocation::find_slot(phrase_slots, hash,
                                  [&](PhraseId id) { return id < ids.size() && ids[id] == phrase; });
  }

 private:
  Result<void> load_metadata();
  Result<void> load_words();
  Result<void> check_words() const;
  Result<void> load_phrases();
  Result<const base::TensorView*> tensor(const std::string& name, base::TensorType type,
                                         std::size_t dimensions) const;
  Result<std::span<const std::uint64_t>> load_slots(const std::string& name, std::uint64_t entries) const;
};

/// What only the library itself may see of a phrase table.
struct PhraseTableAccess {
  /// Valid as long as the table. Thread-safe.
  static const PhraseTable::Impl& impl(const PhraseTable& table) { return *table.impl_; }
};

static_assert(collocation::kNoEntry == collocation::kNoWord && collocation::kNoEntry == kNoPhrase);
static_assert(sizeof(collocation::PhraseWords) == 12);

}  // namespace sotto

namespace sotto::collocation {

/// The words of a joined phrase; fewer than two or more than three if it is not one.
std::vector<std::string_view> split_phrase(std::string_view joined);

}  // namespace sotto::collocation
