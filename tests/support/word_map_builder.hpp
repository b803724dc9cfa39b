// Small word maps made by hand, so that every answer is known and every part of the file can be wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "embed/model_file_builder.hpp"

namespace sotto::testing {

/// A word map's contents. Word i has a vector along axis i, and the n-grams of words[i] point there too, so
/// the n-grams of a string decide between the words it shares them with.
struct SmallWordMap {
  std::vector<std::string> words;
  std::vector<std::int16_t> frequencies;  ///< log₂ of the counts in 1/256
  std::string abbreviations;              ///< lines "short word"
};

inline constexpr std::size_t kWordMapAxes = 64;

inline std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 0x811C9DC5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

/// A vector of 4-bit coordinates along one axis.
inline void append_axis(std::vector<std::uint8_t>& vectors, std::size_t axis) {
  std::vector<std::uint8_t> row(kWordMapAxes / 2, 0x88);
  row[axis / 2] = axis % 2 == 0 ? 0x8F : 0xF8;
  vectors.insert(vectors.end(), row.begin(), row.end());
}

inline RawFile raw_word_map(const SmallWordMap& map) {
  std::map<std::uint32_t, std::size_t> axis_of;
  std::vector<std::uint8_t> lengths;
  std::vector<std::uint8_t> word_vectors;
  std::string letters;
  for (std::size_t i = 0; i < map.words.size(); ++i) {
    const std::string marked = '<' + map.words[i] + '>';
    for (std::size_t length = 3; length <= 5; ++length)
      for (std::size_t at = 0; at + length <= marked.size(); ++at)
        axis_of.emplace(fnv1a(std::string_view(marked).substr(at, length)), i);
    lengths.push_back(static_cast<std::uint8_t>(map.words[i].size()));
    letters += map.words[i];
    append_axis(word_vectors, i);
  }
  std::vector<std::uint32_t> hashes;
  std::vector<std::uint8_t> ngram_vectors;
  for (const auto& [hash, axis] : axis_of) {
    hashes.push_back(hash);
    append_axis(ngram_vectors, axis);
  }
  // Two groups in turn; they point along the first two axes.
  constexpr std::size_t kGroups = 2;
  std::vector<std::uint8_t> word_groups;
  std::vector<std::uint8_t> group_vectors;
  for (std::size_t i = 0; i < map.words.size(); ++i)
    word_groups.push_back(static_cast<std::uint8_t>(i % kGroups));
  for (std::size_t group = 0; group < kGroups; ++group) append_axis(group_vectors, group);
  RawFile file;
  file.header["__metadata__"] = {{"format", "sotto-word-map"}, {"version", "2"}};
  const auto chars = [](const std::string& text) { return std::vector<char>(text.begin(), text.end()); };
  file.add("ngram_hashes", "U32", {hashes.size()}, hashes);
  file.add("frequencies", "I16", {map.frequencies.size()}, map.frequencies);
  file.add("lengths", "U8", {lengths.size()}, lengths);
  file.add("words", "U8", {letters.size()}, chars(letters));
  file.add("abbreviations", "U8", {map.abbreviations.size()}, chars(map.abbreviations));
  file.add("word_vectors", "U8", {map.words.size(), kWordMapAxes / 2}, word_vectors);
  file.add("word_groups", "U8", {map.words.size()}, word_groups);
  file.add("group_vectors", "U8", {kGroups, kWordMapAxes / 2}, group_vectors);
  file.add("ngram_vectors", "U8", {hashes.size(), kWordMapAxes / 2}, ngram_vectors);
  return file;
}

/// Eleven words, most frequent first.
inline SmallWordMap small_word_map() {
  return {{"the", "so", "too", "friday", "love", "coming", "receive", "throwback", "don't", "hug", "email"},
          {4000, 3900, 3800, 3000, 2950, 2940, 2900, 2800, 2700, 2850, 2600},
          "luv love\nthx love\n"};
}

inline std::filesystem::path write_word_map(const std::filesystem::path& file, const SmallWordMap& map) {
  write_bytes(file, raw_word_map(map).bytes());
  return file;
}

}  // namespace sotto::testing
