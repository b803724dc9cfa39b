// Language models: their resources, properties and logit bounds.
//
// Models are located through environment variables, and loading the first language model of a process, or the
// first network of run_experiment(), sets some for the libraries behind it. Functions that refer to this
// comment are thread-safe while no other thread changes the environment and, during the first load, none
// reads it; find_model(), for example, reads it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class Device { cpu, cuda };
enum class Precision { f32, int8, automatic };
inline constexpr std::array<std::string_view, 2> kDeviceNames = {"cpu", "cuda"};
inline constexpr std::array<std::string_view, 3> kPrecisionNames = {"f32", "int8", "auto"};

/// What a model may use. `precision` and `device` may change the last digits of its results, the rest affects
/// only speed. `automatic` is int8 for a model that is stored in 8 bits, as the shipped ones are, and f32 for
/// others. In 8 bits and on the CPU, the shipped models are computed without libtorch, and their results are
/// the same on every processor.
struct LanguageModelResources {
  Device device = Device::cpu;
  Precision precision = Precision::automatic;
  unsigned threads = 0;  ///< 0: one per processor
  /// Asked between the batches of a computation, by several threads at once; false ends it with
  /// Errc::interrupted. It must remain callable as long as the model lives. Empty: never ends.
  std::function<bool()> go_on = {};
};

/// Thread-safe.
SOTTO_API const char* to_string(Device device);
/// Thread-safe.
SOTTO_API const char* to_string(Precision precision);

/// "cpu" or "cuda". Thread-safe.
SOTTO_API Result<Device> parse_device(std::string_view name);
/// "f32", "int8" or "auto". Thread-safe.
SOTTO_API Result<Precision> parse_precision(std::string_view name);

/// Logit bounds estimated on public text.
struct CalibrationSummary {
  double lowest = 0;   ///< μ
  double highest = 0;  ///< μ + 4σ
  double mean = 0;
  double deviation = 0;
  std::uint64_t texts = 0;
  std::uint64_t logits = 0;
  std::string text_digest;  ///< SHA-256 of the public file
};

/// Whether the mechanism of this name rewrites whole texts with a language model, that is, whether its kind
/// is not word_by_word. If so, there is no Mechanism of this name, and its default model (empty: none is
/// shipped) is the name of a folder. False for an unknown name. Thread-safe.
SOTTO_API bool rewrites_whole_texts(std::string_view mechanism);

/// As find_mechanism, but a mechanism that rewrites whole texts is an error. Thread-safe.
SOTTO_API Result<const MechanismInfo*> find_word_mechanism(std::string_view name);

/// Finds the folder of a language model, either by its path, which contains a '/', or by its name. A name
/// stands for a folder with a config.json in one of the folders that find_model searches; use ./NAME for a
/// folder in the current one. Thread-safe unless another thread changes the environment.
SOTTO_API Result<std::filesystem::path> find_language_model(std::string_view name_or_path);

struct LanguageModelInfo {
  std::string name;
  std::filesystem::path folder;
  std::string digest;  ///< tree hash of the files that determine its behaviour
  std::string kind;    ///< masked, causal, or encoder-decoder
  std::uint32_t positions = 0;
  std::uint32_t logits = 0;
  std::uint64_t outcomes = 0;  ///< number of possible words (of a masked model) or tokens in the output
  bool bounded = false;        ///< the architecture keeps the logits in [lowest, highest]
  double lowest = 0;
  double highest = 0;
  // Of a masked model.
  std::string law;                 ///< of its draws, unless another is asked for: bounded or balanced
  std::vector<std::string> modes;  ///< that it takes (parallel, sequential, one-pass), its default first
  std::optional<double> wander;    ///< its default; empty: its words do not wander
  std::optional<CalibrationSummary> calibration;
};

/// As JSON (docs/schemas/language_model.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const LanguageModelInfo& info);

/// Opens the folder (see find_language_model) and describes the model. Thread-safe with the restriction at
/// the top.
SOTTO_API Result<LanguageModelInfo> language_model_info(std::string_view name_or_path,
                                                        const LanguageModelResources& resources = {});

/// Estimates the bounds of a model's logits on up to 1,000 lines of a public text and stores them in the
/// folder. A model whose architecture bounds them is refused. Later, privatize_files() refuses this file as
/// input for the model. Thread-safe with the restriction at the top.
SOTTO_API Result<LanguageModelInfo> calibrate_language_model(std::string_view name_or_path,
                                                             const std::filesystem::path& public_text,
                                                             const LanguageModelResources& resources = {});

/// The shipped models for measuring texts.
inline constexpr std::string_view kDefaultEncoder = "sotto-en-encoder";
inline constexpr std::string_view kDefaultCausalModel = "sotto-en-causal";

/// The cosine similarity of each pair of texts, computed by a sentence encoder (see find_language_model). The
/// spans must have equal length. Ill-formed UTF-8 counts as U+FFFD. Thread-safe with the restriction at the
/// top.
SOTTO_API Result<std::vector<double>> text_similarities(std::span<const std::string> first,
                                                        std::span<const std::string> second,
                                                        std::string_view model = kDefaultEncoder,
                                                        const LanguageModelResources& resources = {});

/// Similarities of pairs of texts, and the encoder that measured them.
struct SimilarityReport {
  std::string model;
  std::vector<double> cosines;  ///< one per pair

  SOTTO_API double mean() const;  ///< 0 if there are no pairs
};

/// As JSON (docs/schemas/similarity.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const SimilarityReport& report);

/// The probability of a text under a causal model.
struct TextScore {
  double log_probability = 0;  ///< natural logarithm
  std::uint64_t tokens = 0;    ///< of the model
  std::uint64_t words = 0;     ///< Sotto's tokens of class word or other; no numbers, no punctuation

  /// exp(−log_probability / tokens); 1 if there are no tokens.
  SOTTO_API double perplexity() const;
  SOTTO_API double perplexity_per_word() const;
  SOTTO_API TextScore& operator+=(const TextScore& other);
};

/// One score per text. Thread-safe with the restriction at the top.
SOTTO_API Result<std::vector<TextScore>> text_scores(std::span<const std::string> texts,
                                                     std::string_view model = kDefaultCausalModel,
                                                     const LanguageModelResources& resources = {});

/// Scores of texts, and the causal model that computed them.
struct PerplexityReport {
  std::string model;
  std::vector<TextScore> scores;  ///< one per text

  SOTTO_API TextScore total() const;
};

/// As JSON (docs/schemas/perplexity.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const PerplexityReport& report);

/// The lines of a plain, gzip, zstd, xz or bzip2 text file, without their terminators. The text after the
/// last terminator counts as a line only if it is not empty. A file that is not valid UTF-8 is refused.
/// Thread-safe.
SOTTO_API Result<std::vector<std::string>> read_text_lines(const std::filesystem::path& file);

}  // namespace sotto
