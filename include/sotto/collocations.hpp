// Collocations: word groups of two or three that come together more often than chance, found in public text
// (section 4.1 of "A Collocation-based Method for Addressing Challenges in Word-level Metric Differential
// Privacy"), and the segmentation of a text into such groups and single words.
//
// An n-gram is a run of tokens of class word inside one sentence with nothing but whitespace between them;
// numbers, punctuation and other tokens interrupt it. Words count in lower case, ’ as an apostrophe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Index of a phrase in its table. Phrases stand in the order of their words, each compared by its bytes, a
/// phrase before those that it begins ("new york", "new york city", "new zealand").
using PhraseId = std::uint32_t;
inline constexpr PhraseId kNoPhrase = ~PhraseId{0};

/// Joins the words of a phrase into one word of a model; no token of class word has it.
inline constexpr char kPhraseJoint = '_';

/// A phrase and how strongly its words belong together.
struct ScoredPhrase {
  std::string text;         ///< two or three words in lower case, joined by kPhraseJoint
  double pmi = 0;           ///< pointwise mutual information in bits, by equations 5 and 6
  std::uint64_t count = 0;  ///< occurrences in the corpus
};

/// An opened, memory-mapped phrase table: a safetensors file of its own, or the phrases inside a model file.
/// Immutable, so safe to share between threads.
class PhraseTable {
 public:
  /// Maps the file and checks header and sizes; it does not read the phrases (see verify).
  static Result<std::shared_ptr<const PhraseTable>> open(const std::filesystem::path& file);
  ~PhraseTable();

  const std::filesystem::path& path() const;
  /// A tree hash of the whole file, in hex, computed by open() from the mapping that is used; see
  /// Model::digest.
  const std::string& digest() const;
  const std::string& stored_sha256() const;  ///< the one in the file's own header, in hex
  const std::vector<std::pair<std::string, std::string>>& metadata() const;

  std::uint32_t size() const;
  std::string phrase(PhraseId id) const;  ///< joined by kPhraseJoint
  /// Scores are multiples of 2⁻¹⁶, so that sums are exact and a segmentation is the same on every machine.
  double pmi(PhraseId id) const;
  std::uint64_t count(PhraseId id) const;
  /// The id of two or three words joined by kPhraseJoint, in lower case; kNoPhrase when there is none.
  PhraseId find(std::string_view joined) const;

  /// Reads the whole file: compares its SHA-256 with the stored one and checks what look-ups rely on.
  Result<void> verify() const;

  struct Impl;  ///< for the library's own loops; not installed
  const Impl& impl() const { return *impl_; }

 private:
  PhraseTable();
  std::unique_ptr<Impl> impl_;
};

/// What is shown of a phrase table beyond what its file says of itself.
struct PhraseTableDetails {
  bool verified = false;                     ///< verify() found nothing wrong
  std::optional<std::vector<PhraseId>> top;  ///< phrases to list; none: no list
};

/// As JSON (docs/schemas/phrase_table.schema.json), ending in a newline. Thread-safe.
std::string to_json(const PhraseTable& table, const PhraseTableDetails& details);

/// Phrases that were looked for, as JSON (docs/schemas/phrases.schema.json), ending in a newline: how many
/// were found, and those to show. Thread-safe.
std::string phrases_json(const PhraseTable& table, std::uint64_t found, std::span<const PhraseId> shown);

/// Writes a table of these phrases, in any order, complete or not at all. A phrase that is not two or three
/// words, or comes twice, is an error. Returns the SHA-256 in its header.
Result<std::string> write_phrase_table(const std::filesystem::path& file,
                                       std::span<const ScoredPhrase> phrases,
                                       const std::vector<std::pair<std::string, std::string>>& metadata);

/// Which phrases with a connector word (a, an, the, for, of, with, …) count as collocations.
enum class ConnectorRule {
  none,    ///< none, as in the paper's section 4.1.1
  inside,  ///< those with connectors only in the middle of three words ("certificates of completion")
  any,     ///< all
};
Result<ConnectorRule> parse_connector_rule(std::string_view name);

/// How the documents of a corpus are written; the files may be plain, gzip, zstd or xz.
enum class CorpusFormat {
  by_name,  ///< JSON lines where a file is named .jsonl or .ndjson (before .gz or .zst), text otherwise
  text,     ///< one document a line
  jsonl,    ///< one JSON object a line, the document being a member of it; null holds none
};

struct CountOptions {
  std::vector<std::filesystem::path> inputs;  ///< empty: standard input
  CorpusFormat format = CorpusFormat::by_name;
  std::string field = "text";                   ///< of JSONL records, what is counted
  std::filesystem::path output;                 ///< the phrase table
  std::optional<std::filesystem::path> counts;  ///< also every n-gram that was seen, one to three words, as
                                                ///< "new york<TAB>count" lines in byte order
  std::uint64_t min_count = 5;
  double min_pmi = 2.0;
  ConnectorRule connectors = ConnectorRule::none;
  std::uint64_t memory = 2ULL << 30;  ///< bytes; what does not fit goes to temporary files beside `output`
  unsigned threads = 0;               ///< 0: one for each processor
  std::vector<std::pair<std::string, std::string>> metadata;  ///< stored as given
  ProgressCallback progress;
};

struct CountReport {
  std::filesystem::path file;  ///< the phrase table
  std::uint64_t documents = 0;
  std::uint64_t sentences = 0;
  std::uint64_t words = 0;  ///< N of equations 5 and 6
  std::uint64_t distinct_words = 0;
  std::uint64_t distinct_bigrams = 0;
  std::uint64_t distinct_trigrams = 0;
  std::uint64_t bigrams = 0;   ///< in the table
  std::uint64_t trigrams = 0;  ///< in the table
  std::uint64_t spilled = 0;   ///< bytes written to temporary files
  std::string sha256;          ///< the one in the header of the table
};

/// As JSON (docs/schemas/collocation_count.schema.json), ending in a newline. Thread-safe.
std::string to_json(const CountReport& report);

/// Counts exactly, whatever the memory and the number of threads, and writes the phrase table.
Result<CountReport> count_collocations(const CountOptions& options);

enum class Segmentation {
  none,     ///< every word for itself
  gst,      ///< greedy from left to right, three words before two (Algorithm 1)
  mst,      ///< highest score first, no token twice (Algorithm 2)
  optimal,  ///< largest sum of scores
};
const char* to_string(Segmentation segmentation);

/// "gst", "mst" or "optimal"; with `allow_none` also "none". An error names `parameter`.
Result<Segmentation> parse_segmentation(std::string_view parameter, std::string_view name, bool allow_none);

struct CorpusTokenizeOptions {
  std::vector<std::filesystem::path> inputs;  ///< empty: standard input
  CorpusFormat format = CorpusFormat::by_name;
  std::string field = "text";  ///< of JSONL records, what is tokenized
  std::shared_ptr<const PhraseTable> phrases;
  Segmentation method = Segmentation::gst;
  std::filesystem::path output;  ///< empty: standard output
  bool json = false;             ///< lines {"tokens": […]} instead of tokens separated by blanks
  unsigned threads = 0;          ///< 0: one for each processor
  ProgressCallback progress;
};

struct CorpusTokenizeReport {
  Segmentation method = Segmentation::gst;
  std::uint64_t documents = 0;
  std::uint64_t words = 0;     ///< tokens of class word before words were joined
  std::uint64_t tokens = 0;    ///< that were written
  std::uint64_t bigrams = 0;   ///< of them, two words
  std::uint64_t trigrams = 0;  ///< of them, three words
  double pmi = 0;              ///< sum of the scores of all phrases
};

/// As JSON (docs/schemas/tokenize.schema.json), ending in a newline. Thread-safe.
std::string to_json(const CorpusTokenizeReport& report);

/// Writes a line for each document, in order: its tokens, words in lower case, phrases joined by
/// kPhraseJoint. Holds a few blocks of text for each thread in memory. A file as output appears complete or
/// not at all.
Result<CorpusTokenizeReport> tokenize_corpus(const CorpusTokenizeOptions& options);

}  // namespace sotto
