// Small WordNet data bases in the original file formats.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sotto::testing {

/// `part` is n, v, a or r; words as they are spelled in the data file.
struct TinySynset {
  char part;
  std::vector<std::string> words;
};

/// Exceptions: lines such as "geese goose" by part of speech.
using TinyExceptions = std::map<char, std::string>;

/// Writes the twelve files into `folder`, which exists. Offsets and counts are right.
inline void write_tiny_wordnet(const std::filesystem::path& folder, const std::vector<TinySynset>& synsets,
                               const TinyExceptions& exceptions = {}) {
  const std::map<char, std::string> names = {{'n', "noun"}, {'v', "verb"}, {'a', "adj"}, {'r', "adv"}};
  for (const auto& [letter, name] : names) {
    std::string data = "  1 A data base made for tests.  \n";
    std::map<std::string, std::vector<std::size_t>> offsets;
    for (const TinySynset& synset : synsets) {
      if (synset.part != letter) continue;
      const std::size_t offset = data.size();
      data += fmt::format("{:08d} 03 {} {:02x}", offset, letter, synset.words.size());
      for (const std::string& word : synset.words) {
        data += " " + word + " 0";
        std::string lemma = word.substr(0, word.find('('));
        for (char& c : lemma) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        offsets[lemma].push_back(offset);
      }
      data += " 000 | a meaning  \n";
    }
    std::string index = "  1 A data base made for tests.  \n";
    for (const auto& [lemma, places] : offsets) {
      index += fmt::format("{} {} {} 2 @ ~ {} 0", lemma, letter, places.size(), places.size());
      for (const std::size_t place : places) index += fmt::format(" {:08d}", place);
      index += "  \n";
    }
    std::ofstream(folder / ("data." + name), std::ios::binary) << data;
    std::ofstream(folder / ("index." + name), std::ios::binary) << index;
    std::ofstream(folder / (name + ".exc"), std::ios::binary)
        << (exceptions.contains(letter) ? exceptions.at(letter) : std::string());
  }
}

}  // namespace sotto::testing
