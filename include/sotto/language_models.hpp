// Language models: what they may use, what they are, and the bounds of their logits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class Device { cpu, cuda };
enum class Precision { f32, int8 };

/// What a model may use; `precision` may change the last digits of its answers, the rest only its speed.
struct LanguageModelResources {
  Device device = Device::cpu;
  Precision precision = Precision::f32;
  unsigned threads = 0;  ///< 0: one for each processor
};

const char* to_string(Device device);
const char* to_string(Precision precision);

/// "cpu" or "cuda".
Result<Device> parse_device(std::string_view name);
/// "f32" or "int8".
Result<Precision> parse_precision(std::string_view name);

/// Bounds of logits that were estimated on public text.
struct CalibrationSummary {
  double lowest = 0;   ///< μ
  double highest = 0;  ///< μ + 4σ
  double mean = 0;
  double deviation = 0;
  std::uint64_t texts = 0;
  std::uint64_t logits = 0;
  std::string text_digest;  ///< SHA-256 of the public file
};

/// Whether the mechanism of that name rewrites whole texts with a language model; then there is no Mechanism
/// of that name, and its default model (empty: none is shipped) names a folder.
bool rewrites_whole_texts(std::string_view mechanism);

/// As find_mechanism, and an error for one that rewrites whole texts.
Result<const MechanismInfo*> find_word_mechanism(std::string_view name);

/// Finds a language model: a folder with a config.json, given by its path, which has a '/' in it, or by its
/// name in the folders that find_model searches. A folder of the current one is ./NAME.
Result<std::filesystem::path> find_language_model(std::string_view name_or_path);

struct LanguageModelInfo {
  std::string name;
  std::filesystem::path folder;
  std::string digest;  ///< tree hash of the files that decide what it does
  std::string kind;    ///< masked, causal, or encoder-decoder
  std::uint32_t positions = 0;
  std::uint32_t logits = 0;
  std::uint64_t outcomes = 0;  ///< words (of a masked model) or tokens that may come out
  bool bounded = false;        ///< the architecture keeps the logits in [lowest, highest]
  double lowest = 0;
  double highest = 0;
  std::optional<CalibrationSummary> calibration;
};

/// As JSON (docs/schemas/language_model.schema.json), ending in a newline. Thread-safe.
std::string to_json(const LanguageModelInfo& info);

/// Opens the folder (see find_language_model) and says what is in it.
Result<LanguageModelInfo> language_model_info(std::string_view name_or_path,
                                              const LanguageModelResources& resources = {});

/// Estimates the bounds of a model's logits on up to 1,000 lines of a public text and stores them in the
/// folder. A model whose architecture bounds them is refused. Later runs on that very file are refused too.
Result<LanguageModelInfo> calibrate_language_model(std::string_view name_or_path,
                                                   const std::filesystem::path& public_text,
                                                   const LanguageModelResources& resources = {});

/// The shipped models that measure texts.
inline constexpr std::string_view kDefaultEncoder = "sotto-en-encoder";
inline constexpr std::string_view kDefaultCausalModel = "sotto-en-causal";

/// The cosine similarity of each pair of texts, by a sentence encoder (see find_language_model); as many of
/// one as of the other. Ill-formed UTF-8 counts as U+FFFD. Thread-safe.
Result<std::vector<double>> text_similarities(std::span<const std::string> first,
                                              std::span<const std::string> second,
                                              std::string_view model = kDefaultEncoder,
                                              const LanguageModelResources& resources = {});

/// Similarities of pairs of texts, and the encoder they were measured with.
struct SimilarityReport {
  std::string model;
  std::vector<double> cosines;  ///< one for each pair

  double mean() const;  ///< of no pairs 0
};

/// As JSON (docs/schemas/similarity.schema.json), ending in a newline. Thread-safe.
std::string to_json(const SimilarityReport& report);

/// How probable a text is to a causal model.
struct TextScore {
  double log_probability = 0;  ///< natural logarithm
  std::uint64_t tokens = 0;    ///< of the model
  std::uint64_t words = 0;     ///< tokens of Sotto's that are words or others; no numbers, no punctuation

  /// exp(−log_probability / tokens); of no tokens 1.
  double perplexity() const;
  double perplexity_per_word() const;
  TextScore& operator+=(const TextScore& other);
};

/// One for each text. Thread-safe.
Result<std::vector<TextScore>> text_scores(std::span<const std::string> texts,
                                           std::string_view model = kDefaultCausalModel,
                                           const LanguageModelResources& resources = {});

/// Scores of texts, and the causal model that gave them.
struct PerplexityReport {
  std::string model;
  std::vector<TextScore> scores;  ///< one for each text

  TextScore total() const;
};

/// As JSON (docs/schemas/perplexity.schema.json), ending in a newline. Thread-safe.
std::string to_json(const PerplexityReport& report);

/// The lines of a text file, plain, gzip or zstd, without their ends; one after the last line end only if
/// there is something. A file that is not valid UTF-8 is refused.
Result<std::vector<std::string>> read_text_lines(const std::filesystem::path& file);

}  // namespace sotto
