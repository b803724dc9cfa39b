// Models: a vocabulary with counts, fixed-point vectors and one-dimensional word lists. A model file is a
// safetensors file; a list set is a model file with lists and no vectors.
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

#include <sotto/api.hpp>
#include <sotto/model_names.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Index of a word in its model. The id size() is ⊥: any input outside the vocabulary.
using TokenId = std::uint32_t;

/// One tour through the vocabulary: order[i] is the word at position i.
struct WordList {
  std::string source;              ///< name of the vector model it was built from
  std::span<const TokenId> order;  ///< valid as long as the Model it came from
};

/// An open, memory-mapped model file. Immutable after construction; safe to use from several threads.
class Model {
 public:
  /// Maps the file, computes its digest, and checks that header, sizes and offsets are valid, that the words
  /// are distinct, valid UTF-8 and free of blanks and control characters, and that each list is a permutation
  /// of them. It does not check the vectors (see verify).
  SOTTO_API static Result<std::shared_ptr<const Model>> open(const std::filesystem::path& file);
  SOTTO_API ~Model();

  SOTTO_API const std::string& name() const;  ///< file name without its extension
  SOTTO_API const std::filesystem::path& path() const;
  /// The identity of the model in certificates, receipts and stream keys: a tree hash (BLAKE2b, in hex) of
  /// all its bytes, computed by open() from the mapping that is used from then on; the file is never opened
  /// by name again. Replacing the file, as every writer of this library does, does not affect an open model.
  /// Writing to a file while it is open goes unnoticed and changes what is sampled: whoever can do that must
  /// be trusted as much as whoever runs the program.
  SOTTO_API const std::string& digest() const;
  /// The SHA-256 in the file's own header, in hex: what verify() compares with. It proves nothing else.
  SOTTO_API const std::string& stored_sha256() const;
  /// Free-form metadata such as source and licence: (key, value), sorted by key.
  SOTTO_API const std::vector<std::pair<std::string, std::string>>& metadata() const;

  SOTTO_API std::uint32_t size() const;  ///< number of words
  TokenId bottom() const { return size(); }
  SOTTO_API std::string_view word(TokenId id) const;
  /// Occurrences in the public corpus; empty if the model has none.
  SOTTO_API std::span<const std::uint64_t> counts() const;
  /// The id of `word`. A word that is not in the model in this spelling is searched for in lower case, then
  /// in lower case with a capital first letter. Typographic apostrophes and hyphens count as ' and -. Returns
  /// bottom() if there is none.
  SOTTO_API TokenId find(std::string_view word) const;

  SOTTO_API std::uint32_t dimension() const;  ///< 0 for a list set
  SOTTO_API int bits() const;                 ///< 8 or 16; 0 for a list set
  SOTTO_API double scale() const;             ///< a vector is scale() times its integers
  /// Row-major integers; the span that does not match bits() is empty.
  SOTTO_API std::span<const std::int8_t> vectors8() const;
  SOTTO_API std::span<const std::int16_t> vectors16() const;
  /// The exact squared distance of two words in units of scale()².
  SOTTO_API std::int64_t squared_distance(TokenId a, TokenId b) const;

  SOTTO_API const std::vector<WordList>& lists() const;

  /// Whether some words are phrases and the file says which; PhraseTable::open reads them.
  SOTTO_API bool has_phrases() const;

  /// Reads the whole file: compares its SHA-256 with the stored one, and checks that no vector is too long
  /// for distance computations.
  SOTTO_API Result<void> verify() const;

 private:
  friend struct ModelAccess;  // for the library itself
  Model();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What is known about a model besides its own metadata.
struct ModelDetails {
  struct Phrases {
    std::uint32_t bigrams = 0;
    std::uint32_t trigrams = 0;
  };
  bool verified = false;           ///< verify() found nothing wrong
  std::optional<Phrases> phrases;  ///< number of words that are phrases; empty: not counted, or none
};

/// As JSON (docs/schemas/model.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const Model& model, const ModelDetails& details);

/// Same for several and for language models after them, as an array (docs/schemas/models.schema.json).
/// Thread-safe.
SOTTO_API std::string to_json(std::span<const std::shared_ptr<const Model>> models,
                              std::span<const ListedLanguageModel> language_models = {});

/// A word near another one.
struct NearWord {
  TokenId id;
  double distance;  ///< Euclidean
  double cosine;    ///< 0 if one of the two vectors is zero
};

/// For each of `words` its `k` nearest others (or all others, if fewer), nearest first, ties in model order;
/// by exact search. Refuses a list set and ids outside the model. Thread-safe.
SOTTO_API Result<std::vector<std::vector<NearWord>>> nearest_words(const Model& model,
                                                                   std::span<const TokenId> words,
                                                                   std::size_t k);

/// The result of nearest_words for `words`, as JSON (docs/schemas/neighbours.schema.json), ending in a
/// newline. Thread-safe.
SOTTO_API std::string neighbours_json(const Model& model, std::span<const TokenId> words,
                                      std::span<const std::vector<NearWord>> near);

/// Finds a model file. A value that contains a '/' is a path, and so is one that ends in ".safetensors",
/// which is refused if a different model is known by that name. Any other value is a name. Names are never
/// searched for in the current folder, but in the folders of $SOTTO_MODELS (separated by colons), the user's
/// data folder ($XDG_DATA_HOME/sotto/models, by default ~/.local/share/sotto/models), models/ and
/// ../share/sotto/models next to the program, and the folder of the models installed with the library. The
/// error names the folders and the models in them. Thread-safe unless another thread changes the environment.
SOTTO_API Result<std::filesystem::path> find_model(std::string_view name_or_path);

/// All model files in the folders that find_model searches, in search order, without shadowed names.
/// Thread-safe unless another thread changes the environment.
SOTTO_API std::vector<std::filesystem::path> list_models();

struct ImportOptions {
  std::filesystem::path vectors;  ///< GloVe, word2vec, fastText; text or binary; gzip, zstd, xz or bzip2
  std::filesystem::path output;
  std::uint64_t limit = 0;  ///< keep only the first `limit` words; 0: all
  /// Keep only these words, in this order: "word" or "word<TAB>count" lines.
  std::optional<std::filesystem::path> vocabulary;
  int bits = 16;  ///< 8 or 16
  /// Keep punctuation, numbers and markers such as "</s>" too. Otherwise a mechanism never replaces a word by
  /// one of them. A vocabulary decides for itself: all its words are kept.
  bool keep_non_words = false;
  std::vector<std::pair<std::string, std::string>>
      metadata;  ///< stored as given, for example source and licence
  ProgressCallback progress;
};

/// The ε between which a mechanism's behaviour changes: at `low` it leaves about 5% of the words as they are,
/// at `high` about 95%. Below, the output says nothing; above, it hides nothing.
struct EpsilonRange {
  double low = 0;
  double high = 0;
};

/// What a distance of 1 means in a model, and which ε follow from that. Estimated on a sample of the words.
struct TypicalDistances {
  std::uint64_t sample = 0;  ///< number of words examined
  double nearest = 0;        ///< median distance of a word to the nearest other word
  double random_pair = 0;    ///< median distance of two words
  EpsilonRange selection;    ///< of santext and, as long as its γ is not given, tem
  EpsilonRange noise;        ///< of cmp, and of what adds the same noise
};

/// Same words and same noise in every call, so the result is a function of the model. Work is split among
/// `threads` (0: one per processor). Refuses a list set and a model of one word. Thread-safe.
SOTTO_API Result<TypicalDistances> typical_distances(const Model& model, unsigned threads = 0);

struct ImportReport {
  std::string format;  ///< the detected format of the input
  std::uint32_t words = 0;
  std::uint32_t dimension = 0;
  std::uint64_t missing = 0;  ///< words of `vocabulary` without a vector
  /// Words omitted because they contain blanks or control characters (some GloVe files have such words).
  std::uint64_t skipped = 0;
  std::uint64_t non_words = 0;  ///< punctuation, numbers and markers omitted
  double scale = 0;
  double largest_error = 0;                   ///< largest distance between a vector and its fixed-point form
  std::string sha256;                         ///< the one in the file's header
  std::optional<TypicalDistances> distances;  ///< empty: the model has one word only
};

/// As JSON (docs/schemas/import.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const ImportReport& report);

/// Reads vectors, rounds them to fixed point with one global scale, and writes a model file, completely or
/// not at all. Thread-safe.
SOTTO_API Result<ImportReport> import_vectors(const ImportOptions& options);

enum class ExportFormat { word2vec_text, word2vec_binary };

/// Writes the model's vectors, as floats, in a format that gensim and fastText can read. Thread-safe.
SOTTO_API Result<void> export_vectors(const Model& model, const std::filesystem::path& output,
                                      ExportFormat format);

struct ListOptions {
  std::vector<std::filesystem::path> models;  ///< must share one vocabulary, in any order of words
  std::filesystem::path output;
  std::uint32_t lists_per_model = 2;
  std::optional<std::uint64_t> seed;  ///< for the starts; empty: the operating system's randomness
  unsigned threads = 0;               ///< 0: one per processor
  std::vector<std::pair<std::string, std::string>>
      metadata;  ///< stored as given, for example source and licence
  ProgressCallback progress;
};

/// Builds word lists by the exact greedy tour of 1-Diffractor's Algorithm 1 and writes a list set.
/// Thread-safe.
SOTTO_API Result<void> build_lists(const ListOptions& options);

/// A summary of a list set as JSON (docs/schemas/lists.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string list_set_json(const Model& lists);

}  // namespace sotto
