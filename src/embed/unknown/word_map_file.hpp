// The file of a word map: a safetensors container, made by models/recipe/make_word_map.py.
//
//   words, lengths     the words, one after another, most frequent first, and the length of each
//   frequencies        log₂ of each word's count in public text, in 1/256
//   abbreviations      lines "short word", ascending; the word - means that there is none
//   word_vectors       vectors of the first words, 64 coordinates of 4 bits
//   word_groups        for each of these words the group it belongs to
//   group_vectors      the common direction of each group, like the vectors of words
//   ngram_hashes       FNV-1a of the n-grams that have a vector, ascending
//   ngram_vectors      their vectors, like those of words
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <sotto/result.hpp>

#include "base/file.hpp"
#include "embed/unknown/subword_vectors.hpp"

namespace sotto::embed {

/// Everything points into the mapped file.
struct WordMapFile {
  base::MappedFile mapped;
  std::span<const std::uint8_t> lengths;
  std::string_view words;
  std::span<const std::int16_t> frequencies;
  std::string_view abbreviations;
  StoredSubwords subwords;
};

/// Checks all that later accesses rely on, except that words are distinct and abbreviations are lines.
Result<WordMapFile> read_word_map(const std::filesystem::path& file);

}  // namespace sotto::embed
