// Collocations: groups of two or three words that occur together more often than by chance, found in public
// text (section 4.1 of "A Collocation-based Method for Addressing Challenges in Word-level Metric
// Differential Privacy"), and the segmentation of a text into such groups and single words.
//
// An n-gram is a run of tokens of class word within one sentence, separated by nothing but whitespace;
// numbers, punctuation and other tokens interrupt it. Words are compared in lower case, ’ as an apostrophe.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/model.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Index of a phrase in its table. Phrases are sorted by their words, compared bytewise; a phrase precedes
/// its extensions ("new york", "new york city", "new zealand").
using PhraseId = std::uint32_t;
inline constexpr PhraseId kNoPhrase = ~PhraseId{0};

/// Joins the words of a phrase into one word of a model; no token of class word contains it.
inline constexpr char kPhraseJoint = '_';

/// A phrase and how strongly its words belong together.
struct ScoredPhrase {
  std::string text;         ///< two or three words in lower case, joined by kPhraseJoint
  double pmi = 0;           ///< pointwise mutual information in bits, by equations 5 and 6
  std::uint64_t count = 0;  ///< occurrences in the corpus
};

/// An open, memory-mapped phrase table: a safetensors file of its own, or the phrases in a model file.
/// Immutable after construction; safe to use from several threads.
class PhraseTable {
 public:
  /// Maps the file and checks its header, sizes and words, but not its phrases (see verify).
  SOTTO_API static Result<std::shared_ptr<const PhraseTable>> open(const std::filesystem::path& file);
  SOTTO_API ~PhraseTable();

  SOTTO_API const std::filesystem::path& path() const;
  /// A tree hash of the whole file, in hex, computed by open() from the mapping that is used. See
  /// Model::digest.
  SOTTO_API const std::string& digest() const;
  SOTTO_API const std::string& stored_sha256() const;  ///< the hash in the file's own header, in hex
  SOTTO_API const std::vector<std::pair<std::string, std::string>>& metadata() const;

  SOTTO_API std::uint32_t size() const;
  SOTTO_API std::string phrase(PhraseId id) const;  ///< joined by kPhraseJoint
  /// Scores are multiples of 2⁻¹⁶, so sums are exact and a segmentation is the same on every machine.
  SOTTO_API double pmi(PhraseId id) const;
  SOTTO_API std::uint64_t count(PhraseId id) const;
  /// The id of two or three lower-case words joined by kPhraseJoint; kNoPhrase if there is none.
  SOTTO_API PhraseId find(std::string_view joined) const;

  /// Reads the whole file: compares its SHA-256 with the stored one and checks the invariants that look-ups
  /// rely on.
  SOTTO_API Result<void> verify() const;

  struct Impl;

 private:
  friend struct PhraseTableAccess;  // for the library itself
  PhraseTable();
  std::unique_ptr<Impl> impl_;
};

/// What is shown of a phrase table besides its own metadata.
struct PhraseTableDetails {
  bool verified = false;                     ///< verify() found nothing wrong
  std::optional<std::vector<PhraseId>> top;  ///< phrases to list; empty: no list
};

/// As JSON (docs/schemas/phrase_table.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const PhraseTable& table, const PhraseTableDetails& details);

/// The result of a phrase search as JSON (docs/schemas/phrases.schema.json), ending in a newline: the number
/// found and the phrases to show. Thread-safe.
SOTTO_API std::string phrases_json(const PhraseTable& table, std::uint64_t found,
                                   std::span<const PhraseId> shown);

/// Writes a table of these phrases, in any order, completely or not at all. A phrase that does not have two
/// or three words, or is a duplicate, is an error. Returns the SHA-256 in the header. Thread-safe.
SOTTO_API Result<std::string> write_phrase_table(
    const std::filesystem::path& file, std::span<const ScoredPhrase> phrases,
    const std::vector<std::pair<std::string, std::string>>& metadata);

/// Which phrases with a connector word (a, an, the, for, of, with, …) count as collocations.
enum class ConnectorRule {
  none,    ///< none of them, as in the paper's section 4.1.1
  inside,  ///< those whose only connector is the middle one of three words ("certificates of completion")
  any,     ///< all of them
};
inline constexpr std::array<std::string_view, 3> kConnectorRuleNames = {"none", "inside", "any"};
/// "none", "inside" or "any". Thread-safe.
SOTTO_API Result<ConnectorRule> parse_connector_rule(std::string_view name);

/// Format of the documents of a corpus. Files may be plain or compressed (gzip, zstd, xz, bzip2).
enum class CorpusFormat {
  by_name,  ///< JSON lines if the file name ends in .jsonl or .ndjson (before .gz and the like), otherwise
            ///< text
  text,     ///< one document per line
  jsonl,    ///< one JSON object per line with the document as a member; null means no document
};

struct CountOptions {
  std::vector<std::filesystem::path> inputs;  ///< empty: standard input
  CorpusFormat format = CorpusFormat::by_name;
  std::string encoding = "utf-8";  ///< of the inputs, as in FileOptions
  std::string field = "text";      ///< the member of JSONL records to count
  std::filesystem::path output;    ///< the phrase table
  /// Where to write every n-gram seen, one to three words, as "new york<TAB>count" lines in byte order;
  /// empty: nowhere.
  std::optional<std::filesystem::path> counts;
  std::uint64_t min_count = 5;
  double min_pmi = 2.0;
  ConnectorRule connectors = ConnectorRule::none;
  std::uint64_t memory = 2ULL << 30;  ///< bytes; the rest goes to temporary files next to `output`
  unsigned threads = 0;               ///< 0: one per processor
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
  std::string sha256;          ///< the one in the table's header
};

/// As JSON (docs/schemas/collocation_count.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const CountReport& report);

/// Counts exactly, whatever the memory and the number of threads, and writes the phrase table. Thread-safe.
SOTTO_API Result<CountReport> count_collocations(const CountOptions& options);

enum class Segmentation {
  none,     ///< every word on its own
  gst,      ///< greedy from left to right, three words before two (Algorithm 1)
  mst,      ///< highest score first, no overlaps (Algorithm 2)
  optimal,  ///< largest sum of scores
};
inline constexpr std::array<std::string_view, 4> kSegmentationNames = {"none", "gst", "mst", "optimal"};
/// Thread-safe.
SOTTO_API const char* to_string(Segmentation segmentation);

/// "gst", "mst" or "optimal"; with `allow_none` also "none". An error names `parameter`. Thread-safe.
SOTTO_API Result<Segmentation> parse_segmentation(std::string_view parameter, std::string_view name,
                                                  bool allow_none);

struct CorpusTokenizeOptions {
  std::vector<std::filesystem::path> inputs;  ///< empty: standard input
  CorpusFormat format = CorpusFormat::by_name;
  std::string encoding = "utf-8";  ///< of the inputs, as in FileOptions; the output is UTF-8
  std::string field = "text";      ///< the member of JSONL records to tokenize
  std::shared_ptr<const PhraseTable> phrases;
  Segmentation method = Segmentation::gst;
  std::filesystem::path output;  ///< empty: standard output; compressed if the name says so
  bool json = false;             ///< write {"tokens": […]} lines instead of space-separated tokens
  unsigned threads = 0;          ///< 0: one per processor
  ProgressCallback progress;
};

struct CorpusTokenizeReport {
  Segmentation method = Segmentation::gst;
  std::uint64_t documents = 0;
  std::uint64_t words = 0;     ///< tokens of class word before joining
  std::uint64_t tokens = 0;    ///< written
  std::uint64_t bigrams = 0;   ///< of these, tokens of two words
  std::uint64_t trigrams = 0;  ///< of these, tokens of three words
  double pmi = 0;              ///< sum of the scores of all phrases
};

/// As JSON (docs/schemas/tokenize.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const CorpusTokenizeReport& report);

/// Writes one line per document, in order: its tokens, words in lower case, phrases joined by kPhraseJoint.
/// Keeps a few blocks of text per thread in memory. An output file appears completely or not at all.
/// Thread-safe.
SOTTO_API Result<CorpusTokenizeReport> tokenize_corpus(const CorpusTokenizeOptions& options);

}  // namespace sotto
