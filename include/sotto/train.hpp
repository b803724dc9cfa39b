// Training of vectors for words and collocations (section 4.2 of "A Collocation-based Method for Addressing
// Challenges in Word-level Metric Differential Privacy"), with fastText's implementation of skip-gram and
// CBOW.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class TrainingAlgorithm { skipgram, cbow };
const char* to_string(TrainingAlgorithm algorithm);
/// An error names `parameter`; also below.
Result<TrainingAlgorithm> parse_training_algorithm(std::string_view parameter, std::string_view name);

/// What becomes of the vectors that training leaves.
enum class VectorFinish {
  refined,  ///< the input and the output vector of a word, each of length 1, are added; the mean and the
            ///< first principal component of all vectors, which say little but how frequent a word is, are
            ///< removed; then each vector has length 1
  raw,      ///< the input vectors as they are, as other programs save them
};
const char* to_string(VectorFinish finish);
Result<VectorFinish> parse_vector_finish(std::string_view parameter, std::string_view name);

/// The steps of training, in their order. Progress of the first two is in bytes of the corpus, of the last in
/// tokens, each epoch counted.
enum class TrainingPhase {
  counting,    ///< the tokens of the corpus are counted and the vocabulary is chosen
  tokenizing,  ///< the corpus is written as tokens
  training,
};

/// As ProgressCallback, with the step that is being done.
using TrainingProgress = std::function<bool(TrainingPhase phase, std::uint64_t done, std::uint64_t total)>;

struct TrainOptions {
  std::vector<std::filesystem::path> inputs;  ///< regular files, because they are read twice
  CorpusFormat format = CorpusFormat::by_name;
  std::string field = "text";                       ///< of JSON lines, what is read
  std::filesystem::path output;                     ///< the model file
  std::optional<std::filesystem::path> phrases;     ///< phrase table, or a model with phrases
  Segmentation method = Segmentation::none;         ///< how phrases are found; needs `phrases` unless none
  std::optional<std::filesystem::path> vocabulary;  ///< only these words, and phrases made of them; lines
                                                    ///< "word" or "word<TAB>count", the count is not read
  std::uint64_t min_count = 5;                      ///< tokens that are rarer get no vector
  std::uint64_t limit = 0;                          ///< only so many most frequent tokens; 0: all

  TrainingAlgorithm algorithm = TrainingAlgorithm::skipgram;
  std::uint32_t dimension = 300;
  std::uint32_t epochs = 5;
  std::uint32_t window = 5;  ///< at most so many tokens on each side are context
  std::uint32_t negatives = 5;
  double learning_rate = 0.05;
  double subsampling = 1e-4;  ///< tokens with a larger share of the text are skipped now and then
  bool subwords = false;   ///< true: a vector is the mean of the token's own and those of its 3- to 6-grams
  std::uint32_t seed = 0;  ///< with one thread it decides everything
  unsigned threads = 0;    ///< 0: one for each processor; the vectors are reproducible with 1 only
  VectorFinish finish = VectorFinish::refined;
  int bits = 16;  ///< 8 or 16

  std::optional<std::filesystem::path>
      work;                ///< folder for the tokenized corpus; none: `output` with ".work"
  bool keep_work = false;  ///< false: what was put into the folder is removed at the end
  std::vector<std::pair<std::string, std::string>> metadata;  ///< stored as given, besides the options
  TrainingProgress progress;
};

struct TrainReport {
  std::filesystem::path file;   ///< the model
  bool resumed = false;         ///< the tokenized corpus of an earlier run was used
  std::uint64_t documents = 0;  ///< of the corpus
  std::uint64_t words = 0;      ///< running words of the corpus
  std::uint64_t tokens = 0;     ///< of the tokenized corpus: words and phrases of the vocabulary
  std::uint32_t vocabulary = 0;
  std::uint32_t bigrams = 0;   ///< in the vocabulary
  std::uint32_t trigrams = 0;  ///< in the vocabulary
  double seconds = 0;          ///< in all
  double training_seconds = 0;
  double tokens_per_second = 0;  ///< of training, all epochs and threads together
  double loss = 0;               ///< mean loss that the first thread saw
  double scale = 0;
  double largest_error = 0;  ///< largest distance between a vector and its fixed-point form
  std::string sha256;        ///< the one in the header of the file
};

/// As JSON (docs/schemas/train.schema.json), ending in a newline. Thread-safe.
std::string to_json(const TrainReport& report);

/// Tokenizes the corpus, trains, and writes a model, complete or not at all. Its words are in the order of
/// their counts, and it holds those phrases of `phrases` that are among its words, and no other.
///
/// A run that is stopped while it trains leaves the tokenized corpus in the work folder, and the next run
/// with the same inputs and options uses it. With one thread the same inputs and options give the same bytes.
Result<TrainReport> train_vectors(const TrainOptions& options);

}  // namespace sotto
