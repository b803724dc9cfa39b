// Builds phrase tables, for separate files and for model files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/collocations.hpp>

#include "base/safetensors.hpp"
#include "collocation/phrase_hash.hpp"

namespace sotto::collocation {

/// The contents of a phrase table, in file order.
struct PhraseParts {
  std::string words;                        ///< distinct, in byte order, each used by a phrase
  std::vector<std::uint32_t> word_offsets;  ///< one more than the number of words
  std::vector<PhraseWords> ids;             ///< ascending by comes_before
  std::vector<std::int32_t> scores;         ///< in units of 2⁻¹⁶
  std::vector<std::uint64_t> counts;

  std::uint32_t word_count() const { return static_cast<std::uint32_t>(word_offsets.size() - 1); }
  std::string_view word(std::uint32_t id) const {
    return std::string_view(words).substr(word_offsets[id], word_offsets[id + 1] - word_offsets[id]);
  }
};

/// The order of phrases in a table: a pair comes before the triples that begin with it.
inline bool comes_before(const PhraseWords& a, const PhraseWords& b) {
  // kNoWord + 1 wraps to 0, the lowest.
  return PhraseWords{a[0], a[1], a[2] + 1} < PhraseWords{b[0], b[1], b[2] + 1};
}

/// Whether a word can be in a phrase: a single token of class word, in the form used for lookup.
bool is_phrase_word(std::string_view word);

/// What a file needs besides its own tensors so that PhraseTable::open finds phrases in it.
struct PhraseTensors {
  std::vector<base::TensorToWrite> tensors;  ///< own what they write; larger element types first, as
                                             ///< write_safetensors requires: merge by element size
  base::Metadata metadata;                   ///< to be merged into the file's
};

/// Sorts and checks phrases. It is an error if a phrase is not two or three words in the form used for
/// lookup, occurs twice, or has a score that is not a number of magnitude below 2¹⁵.
Result<PhraseParts> make_phrase_parts(std::span<const ScoredPhrase> phrases);

/// The phrases of `table` that `keep` selects by phrase id.
Result<PhraseParts> select_phrases(const PhraseTable& table, const std::vector<bool>& keep);

/// Adds the hash tables.
PhraseTensors make_phrase_tensors(PhraseParts parts);

/// Writes a separate phrase table, complete or not at all. Returns the digest.
Result<std::string> write_phrase_file(const std::filesystem::path& file, PhraseParts parts,
                                      const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace sotto::collocation
