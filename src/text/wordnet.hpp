// The WordNet database, read from its own files (index.*, data.*, *.exc; formats: wndb(5), morph(7)).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::text {

enum class PartOfSpeech : std::uint8_t { noun, verb, adjective, adverb };
inline constexpr std::size_t kPartsOfSpeech = 4;

/// A set of words with one meaning, identified by the part of speech and its offset in that data file.
struct Synset {
  PartOfSpeech part;
  std::uint32_t offset;

  bool operator==(const Synset&) const = default;
  bool operator<(const Synset& other) const {
    return part != other.part ? part < other.part : offset < other.offset;
  }
};

/// Index and exceptions are read on opening, synsets on demand. Immutable, so safe to share between threads.
class WordNet {
 public:
  /// Where Debian's package wordnet-base installs the files.
  static constexpr std::string_view kDefaultFolder = "/usr/share/wordnet";

  /// Errors name the file, and the line if its content is wrong.
  static Result<WordNet> open(const std::filesystem::path& folder);

  /// The words of the index that `word` is a form of, starting with the word itself if it is one: by the
  /// exception list, otherwise by the suffix rules. `word` is in lower case, with '_' for blanks.
  std::vector<std::string> base_forms(std::string_view word, PartOfSpeech part) const;

  /// SHA-256 over all the files, in hexadecimal.
  std::string digest() const;

  /// All synsets of all base forms of `word`, sorted, without duplicates.
  std::vector<Synset> synsets(std::string_view word) const;

  /// The words of a synset as spelled ("Paris", "domestic_dog"), without syntactic markers. They live as long
  /// as this object. The error names the faulty line of the data file.
  Result<std::vector<std::string_view>> words(Synset synset) const;

  /// The antonyms of all base forms of `word` (the "!" pointers of exactly these words, not of their
  /// synonyms), in lower case, sorted, without duplicates.
  Result<std::vector<std::string>> antonyms(std::string_view word) const;

 private:
  /// A pointer from one word of a synset to one word of another; words are numbered from 1.
  struct Antonym {
    std::uint32_t from;
    Synset synset;
    std::uint32_t to;
  };
  /// The contents of a synset's line.
  struct Line {
    std::vector<std::string_view> words;
    std::vector<Antonym> antonyms;
  };
  struct Range {
    std::uint32_t begin;
    std::uint32_t count;
  };
  /// Everything for one part of speech; the maps' keys point into the mapped files.
  struct Part {
    std::filesystem::path data_path;
    base::MappedFile index_file;
    base::MappedFile data_file;
    base::MappedFile exceptions_file;
    std::unordered_map<std::string_view, Range> index;  ///< lemma to its range in `offsets`
    std::vector<std::uint32_t> offsets;
    std::unordered_multimap<std::string_view, std::string_view> exceptions;  ///< form to base form
  };

  Result<Line> read_line(Synset synset) const;

  static Result<void> read_index(Part& part, char letter, const std::filesystem::path& file);
  static Result<void> read_exceptions(Part& part, const std::filesystem::path& file);

  std::array<Part, kPartsOfSpeech> parts_;
};

}  // namespace sotto::text
