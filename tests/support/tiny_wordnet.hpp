// Small WordNet databases in the original file formats.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sotto::testing {

/// `part` is n, v, a or r; words are spelled as in the data file. `antonym` is the index, in the list of
/// synsets, of one whose first word is the antonym of this one's first word.
struct TinySynset {
  char part;
  std::vector<std::string> words;
  int antonym = -1;
};

/// Exceptions: lines such as "geese goose" by part of speech.
using TinyExceptions = std::map<char, std::string>;

/// The line of a synset; pointers have a fixed width, so the length does not depend on offsets.
inline std::string tiny_line(const TinySynset& synset, std::size_t offset, char other, std::size_t antonym) {
  std::string line = fmt::format("{:08d} 03 {} {:02x}", offset, synset.part, synset.words.size());
  for (const std::string& word : synset.words) line += " " + word + " 0";
  if (synset.antonym < 0) return line + " 000 | a meaning  \n";
  return line + fmt::format(" 002 @ 00000034 n 0000 ! {:08d} {} 0101 | a meaning  \n", antonym, other);
}

/// Writes the twelve files into `folder`, which must exist, with correct offsets and counts.
inline void write_tiny_wordnet(const std::filesystem::path& folder, const std::vector<TinySynset>& synsets,
                               const TinyExceptions& exceptions = {}) {
  const std::map<char, std::string> names = {{'n', "noun"}, {'v', "verb"}, {'a', "adj"}, {'r', "adv"}};
  const std::string head = "  1 A data base made for tests.  \n";
  std::map<char, std::size_t> ends;
  std::vector<std::size_t> places;  // of the synsets in their files
  for (const TinySynset& synset : synsets) {
    std::size_t& end = ends.try_emplace(synset.part, head.size()).first->second;
    places.push_back(end);
    end += tiny_line(synset, 0, 'n', 0).size();
  }
  for (const auto& [letter, name] : names) {
    std::string data = head;
    std::map<std::string, std::vector<std::size_t>> offsets;
    for (std::size_t i = 0; i < synsets.size(); ++i) {
      const TinySynset& synset = synsets[i];
      if (synset.part != letter) continue;
      const std::size_t offset = places[i];
      const std::size_t other = synset.antonym < 0 ? i : static_cast<std::size_t>(synset.antonym);
      data += tiny_line(synset, offset, synsets[other].part, places[other]);
      for (const std::string& word : synset.words) {
        std::string lemma = word.substr(0, word.find('('));
        for (char& c : lemma) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        offsets[lemma].push_back(offset);
      }
    }
    std::string index = "  1 A data base made for tests.  \n";
    for (const auto& [lemma, found] : offsets) {
      index += fmt::format("{} {} {} 2 @ ~ {} 0", lemma, letter, found.size(), found.size());
      for (const std::size_t place : found) index += fmt::format(" {:08d}", place);
      index += "  \n";
    }
    std::ofstream(folder / ("data." + name), std::ios::binary) << data;
    std::ofstream(folder / ("index." + name), std::ios::binary) << index;
    std::ofstream(folder / (name + ".exc"), std::ios::binary)
        << (exceptions.contains(letter) ? exceptions.at(letter) : std::string());
  }
}

}  // namespace sotto::testing
