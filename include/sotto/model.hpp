// Models: a vocabulary with counts, fixed-point vectors, one-dimensional word lists. A model file is a
// safetensors file; a list set is a model file with lists and no vectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/result.hpp>

namespace sotto {

class Vocabulary;

/// Index of a word in its model. The id size() is ⊥: any input outside the vocabulary.
using TokenId = std::uint32_t;

/// One tour through the vocabulary: order[i] is the word at place i.
struct WordList {
  std::string source;              ///< name of the vector model it was built from
  std::span<const TokenId> order;  ///< lives as long as the Model it came from
};

/// An opened, memory-mapped model file. Immutable, so safe to share between threads.
class Model {
 public:
  /// Maps the file, computes its digest, and checks header, sizes, offsets, that the words are distinct,
  /// valid UTF-8 and free of blanks and control characters, and that each list is a permutation of them; it
  /// does not check the vectors (see verify).
  static Result<std::shared_ptr<const Model>> open(const std::filesystem::path& file);
  ~Model();

  const std::string& name() const;  ///< file name without its extension
  const std::filesystem::path& path() const;
  /// What certificates, receipts and stream keys know the model by: a tree hash (BLAKE2b, in hex) of all its
  /// bytes, computed by open() from the mapping that is used from then on; the file is never opened again by
  /// name. A file that is replaced, as every writer of this library does it, leaves an opened model as it is.
  /// Writing into a file while it is open is not noticed and changes what is sampled: whoever may do that
  /// must be trusted as much as whoever runs the program.
  const std::string& digest() const;
  /// The SHA-256 in the file's own header, in hex: what verify() compares with, and proof of nothing else.
  const std::string& stored_sha256() const;
  /// Free-form metadata such as source and licence: (key, value), sorted by key.
  const std::vector<std::pair<std::string, std::string>>& metadata() const;

  std::uint32_t size() const;  ///< number of words
  TokenId bottom() const { return size(); }
  std::string_view word(TokenId id) const;
  /// Occurrences in the public corpus; empty when the model has none.
  std::span<const std::uint64_t> counts() const;
  /// The id of `word`. A word that is not there in this spelling is looked for in lower case, then in lower
  /// case with a capital first letter; ’ counts as an apostrophe. Returns bottom() when there is none.
  TokenId find(std::string_view word) const;
  /// The table behind find(), for the library's own loops; its header is not installed. Lives as long as the
  /// model.
  const Vocabulary& vocabulary() const;

  std::uint32_t dimension() const;  ///< 0 for a list set
  int bits() const;                 ///< 8 or 16; 0 for a list set
  double scale() const;             ///< a vector is scale() times its integers
  /// Row-major integers; the one that does not match bits() is empty.
  std::span<const std::int8_t> vectors8() const;
  std::span<const std::int16_t> vectors16() const;
  /// The exact squared distance of two words in units of scale()².
  std::int64_t squared_distance(TokenId a, TokenId b) const;

  const std::vector<WordList>& lists() const;

  /// True when some words are phrases and the file says which; PhraseTable::open reads them.
  bool has_phrases() const;

  /// Reads the whole file: compares its SHA-256 with the stored one, and checks that no vector is longer than
  /// distances allow.
  Result<void> verify() const;

 private:
  Model();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What is known about a model beyond what its file says of itself.
struct ModelDetails {
  struct Phrases {
    std::uint32_t bigrams = 0;
    std::uint32_t trigrams = 0;
  };
  bool verified = false;           ///< verify() found nothing wrong
  std::optional<Phrases> phrases;  ///< how many words are phrases; none: not counted, or there are none
};

/// As JSON (docs/schemas/model.schema.json), ending in a newline. Thread-safe.
std::string to_json(const Model& model, const ModelDetails& details);

/// The same for several, as an array (docs/schemas/models.schema.json). Thread-safe.
std::string to_json(std::span<const std::shared_ptr<const Model>> models);

/// A word near another one.
struct NearWord {
  TokenId id;
  double distance;  ///< Euclidean
  double cosine;    ///< 0 where one of the two vectors is zero
};

/// For each of `words` its `k` nearest others (all others, if they are fewer), nearest first, at equal
/// distance in the order of the model; by exact search. Refuses a list set and ids outside the model.
Result<std::vector<std::vector<NearWord>>> nearest_words(const Model& model, std::span<const TokenId> words,
                                                         std::size_t k);

/// What nearest_words found for `words`, as JSON (docs/schemas/neighbours.schema.json), ending in a newline.
/// Thread-safe.
std::string neighbours_json(const Model& model, std::span<const TokenId> words,
                            std::span<const std::vector<NearWord>> near);

/// Finds a model file. A value with a '/' in it is a path, and so is one that ends in ".safetensors" unless
/// another model is known by that name. Every other one is a name, which is never looked for in the current
/// folder, but in the folders of $SOTTO_MODELS (separated by colons), the user's data folder
/// ($XDG_DATA_HOME/sotto/models, by default ~/.local/share/sotto/models), models/ and
/// ../share/sotto/models beside the program, and the folder of the models that were installed with the
/// library. The error names the folders and the models that are there.
Result<std::filesystem::path> find_model(std::string_view name_or_path);

/// Every model file in the folders that find_model searches, nearest first, shadowed names left out.
std::vector<std::filesystem::path> list_models();

/// Called now and then with work done and work in all (0: unknown), never by two threads at a time.
/// Returning false asks to stop; the operation then fails with Errc::interrupted.
using ProgressCallback = std::function<bool(std::uint64_t done, std::uint64_t total)>;

struct ImportOptions {
  std::filesystem::path vectors;  ///< GloVe, word2vec, fastText; text or binary; gzip, zstd or xz
  std::filesystem::path output;
  std::uint64_t limit = 0;  ///< keep only the first so many words; 0: all
  std::optional<std::filesystem::path>
      vocabulary;  ///< keep only these words, in this order: "word" or "word<TAB>count" lines
  int bits = 16;   ///< 8 or 16
  std::vector<std::pair<std::string, std::string>>
      metadata;  ///< stored as given, for example source and licence
  ProgressCallback progress;
};

struct ImportReport {
  std::string format;  ///< what the input was recognised as
  std::uint32_t words = 0;
  std::uint32_t dimension = 0;
  std::uint64_t missing = 0;  ///< words of `vocabulary` that have no vector
  /// Words left out because they contain blanks or control characters (some GloVe files have them).
  std::uint64_t skipped = 0;
  double scale = 0;
  double largest_error = 0;  ///< largest distance between a vector and its fixed-point form
  std::string sha256;        ///< the one in the header of the file
};

/// As JSON (docs/schemas/import.schema.json), ending in a newline. Thread-safe.
std::string to_json(const ImportReport& report);

/// Reads vectors, rounds them to fixed point with one global scale, writes a model file (complete or not at
/// all).
Result<ImportReport> import_vectors(const ImportOptions& options);

enum class ExportFormat { word2vec_text, word2vec_binary };

/// Writes the model's vectors, as floats, in a format that gensim and fastText read.
Result<void> export_vectors(const Model& model, const std::filesystem::path& output, ExportFormat format);

struct ListOptions {
  std::vector<std::filesystem::path> models;  ///< must share one vocabulary, in any order of words
  std::filesystem::path output;
  std::uint32_t lists_per_model = 2;
  std::optional<std::uint64_t> seed;  ///< chooses the starts; empty: the operating system's randomness
  unsigned threads = 0;               ///< 0: one for each processor
  std::vector<std::pair<std::string, std::string>>
      metadata;  ///< stored as given, for example source and licence
  ProgressCallback progress;
};

/// Builds word lists by the exact greedy tour of 1-Diffractor's Algorithm 1 and writes a list set.
Result<void> build_lists(const ListOptions& options);

/// A list set in brief, as JSON (docs/schemas/lists.schema.json), ending in a newline. Thread-safe.
std::string list_set_json(const Model& lists);

}  // namespace sotto
