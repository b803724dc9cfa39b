// Training of vectors for words and collocations (section 4.2 of "A Collocation-based Method for Addressing
// Challenges in Word-level Metric Differential Privacy") with fastText's implementation of skip-gram and
// CBOW.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/collocations.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class TrainingAlgorithm { skipgram, cbow };
inline constexpr std::array<std::string_view, 2> kTrainingAlgorithmNames = {"skipgram", "cbow"};
/// Thread-safe.
SOTTO_API const char* to_string(TrainingAlgorithm algorithm);
/// "skipgram" or "cbow". An error names `parameter`. Thread-safe.
SOTTO_API Result<TrainingAlgorithm> parse_training_algorithm(std::string_view parameter,
                                                             std::string_view name);

/// Post-processing of the trained vectors.
enum class VectorFinish {
  refined,  ///< adds the input and the output vector of each word, both of length 1; removes the mean and the
            ///< first principal component of all vectors, which show little but word frequency; scales each
            ///< vector to length 1
  raw,      ///< the input vectors unchanged, as other programs save them
};
inline constexpr std::array<std::string_view, 2> kVectorFinishNames = {"refined", "raw"};
/// Thread-safe.
SOTTO_API const char* to_string(VectorFinish finish);
/// "refined" or "raw". An error names `parameter`. Thread-safe.
SOTTO_API Result<VectorFinish> parse_vector_finish(std::string_view parameter, std::string_view name);

/// The steps of training, in order. Progress is in bytes of the corpus for the first two, and in tokens,
/// counting each epoch, for the last.
enum class TrainingPhase {
  counting,    ///< counts the tokens of the corpus and selects the vocabulary
  tokenizing,  ///< writes the corpus as tokens
  training,
};

/// As ProgressCallback, with the current step.
using TrainingProgress = std::function<bool(TrainingPhase phase, std::uint64_t done, std::uint64_t total)>;

struct TrainOptions {
  std::vector<std::filesystem::path> inputs;  ///< regular files, because they are read twice
  CorpusFormat format = CorpusFormat::by_name;
  std::string encoding = "utf-8";                ///< of the inputs, as in FileOptions
  std::string field = "text";                    ///< the member of JSON lines to read
  std::filesystem::path output;                  ///< the model file
  std::optional<std::filesystem::path> phrases;  ///< a phrase table, or a model with phrases
  Segmentation method = Segmentation::none;      ///< how phrases are found; needs `phrases` unless none
  /// Only these words, and phrases made of them: "word" or "word<TAB>count" lines; the counts are ignored.
  std::optional<std::filesystem::path> vocabulary;
  std::uint64_t min_count = 5;  ///< rarer tokens get no vector
  std::uint64_t limit = 0;      ///< only this many most frequent tokens; 0: all

  TrainingAlgorithm algorithm = TrainingAlgorithm::skipgram;
  std::uint32_t dimension = 300;
  std::uint32_t epochs = 5;
  std::uint32_t window = 5;  ///< maximum number of context tokens on each side
  std::uint32_t negatives = 5;
  double learning_rate = 0.05;
  double subsampling = 1e-4;  ///< tokens with a larger share of the text are sometimes skipped
  bool subwords = false;   ///< true: a vector is the mean of the token's own and those of its 3- to 6-grams
  std::uint32_t seed = 0;  ///< determines everything if there is one thread
  unsigned threads = 0;    ///< 0: one per processor; vectors are reproducible only with 1
  VectorFinish finish = VectorFinish::refined;
  int bits = 16;  ///< 8 or 16

  /// Folder for the tokenized corpus; empty: `output` with ".work" appended.
  std::optional<std::filesystem::path> work;
  bool keep_work = false;  ///< false: files put into the folder are removed at the end
  std::vector<std::pair<std::string, std::string>> metadata;  ///< stored as given, in addition to the options
  TrainingProgress progress;
};

struct TrainReport {
  std::filesystem::path file;   ///< the model
  bool resumed = false;         ///< the tokenized corpus of an earlier run was used
  std::uint64_t documents = 0;  ///< of the corpus
  std::uint64_t words = 0;      ///< running words in the corpus
  std::uint64_t tokens = 0;     ///< in the tokenized corpus: words and phrases of the vocabulary
  std::uint32_t vocabulary = 0;
  std::uint32_t bigrams = 0;   ///< in the vocabulary
  std::uint32_t trigrams = 0;  ///< in the vocabulary
  double seconds = 0;          ///< total
  double training_seconds = 0;
  double tokens_per_second = 0;  ///< of training, over all epochs and threads
  double loss = 0;               ///< mean loss as seen by the first thread
  double scale = 0;
  double largest_error = 0;  ///< largest distance between a vector and its fixed-point form
  std::string sha256;        ///< the one in the file's header
};

/// As JSON (docs/schemas/train.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const TrainReport& report);

/// Tokenizes the corpus, trains, and writes a model, completely or not at all. Its words are in order of
/// their counts, and it contains exactly those phrases of `phrases` that are among its words.
///
/// A run that is stopped during training leaves the tokenized corpus in the work folder, and the next run
/// with the same inputs and options reuses it. With one thread, the same inputs and options give the same
/// bytes. Thread-safe if concurrent calls use different work folders.
SOTTO_API Result<TrainReport> train_vectors(const TrainOptions& options);

}  // namespace sotto
