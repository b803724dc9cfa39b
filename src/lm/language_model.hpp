// What the mechanisms ask of language models, free of any library behind them: the arithmetic lives in a
// plugin (src/lm/torch), so that a program that needs no language model starts without it and builds without
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/language_models.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Subword ids on their way into a model.
struct Sequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> positions;  ///< empty: 0, 1, 2, …
  std::vector<std::int32_t> segments;   ///< empty: all 0
  /// Which piece of its word an id is, for models that read words as pieces at one position; empty: all 0.
  std::vector<std::int32_t> pieces;
};

/// Where a model's logits are sure to lie.
struct LogitBounds {
  float lowest = 0;
  float highest = 0;
  bool by_architecture = false;  ///< the head cannot leave them; otherwise logits are clipped to them
};

/// How a model with a bounded head makes logits of its scores: logit = range / (1 + exp(−slope · score)). All
/// of it is public: it depends on the model and on the reach (see MaskedModel::at_reach), on no text.
struct BoundedHead {
  float range = 0;
  float slope = 0;
  float reach = 0;      ///< that the weights of a draw use: the one asked for, or the largest of training
  float log_total = 0;  ///< ln of the sum of weights that a balanced draw keeps to
  /// What a balanced draw multiplies scores by, where the model can say the word it replaces, and where not.
  float sharpness_known = 1;
  float sharpness_unknown = 1;
};

/// A model that fills a masked position. Safe to share between threads.
class MaskedModel {
 public:
  virtual ~MaskedModel() = default;

  virtual std::uint32_t input_size() const = 0;   ///< number of input ids
  virtual std::uint32_t output_size() const = 0;  ///< number of logits
  virtual std::uint32_t max_positions() const = 0;
  virtual std::uint32_t segment_count() const = 0;  ///< segments are below this
  virtual std::uint32_t piece_count() const = 0;    ///< pieces are below this
  /// Where the architecture keeps the logits, whatever the weights and the input are; nothing: they are free.
  virtual std::optional<LogitBounds> bounds() const = 0;

  /// The model as it answers when draws are made at this ε, sharing its weights; null for a model that does
  /// not care. A model that does care must be asked this way: as it was opened, its logits are free.
  virtual Result<std::shared_ptr<const MaskedModel>> at_epsilon(double epsilon) const = 0;
  /// ln of the public measure that a draw weighs by exp(logit·ε/(2·range)), one a logit; empty: uniform.
  virtual std::span<const float> log_base() const = 0;

  /// As at_epsilon, told the largest difference that the ln weights of a draw may show, and answering with
  /// scores that the caller makes logits of by bounded_head(). Null for a model without a bounded head.
  virtual Result<std::shared_ptr<const MaskedModel>> at_reach(double) const { return nullptr; }
  /// Null unless the model came from at_reach or at_epsilon.
  virtual const BoundedHead* bounded_head() const { return nullptr; }

  /// The logits at one place of each sequence: masked[i] is an index into sequences[i].ids. `out` takes
  /// output_size() numbers for each, in order. Each answer depends on its own sequence alone, up to rounding.
  virtual Result<void> logits(std::span<const Sequence> sequences, std::span<const std::uint32_t> masked,
                              std::span<float> out) const = 0;
  /// The logits at every place of a sequence, output_size() numbers for each. Costs far more a place than
  /// `logits` does in batches.
  virtual Result<void> logits_everywhere(const Sequence& sequence, std::span<float> out) const {
    const std::vector<Sequence> copies(sequence.ids.size(), sequence);
    std::vector<std::uint32_t> places(copies.size());
    std::iota(places.begin(), places.end(), 0U);
    return logits(copies, places, out);
  }
};

/// A model that turns texts into vectors of length 1. Safe to share between threads.
class SentenceModel {
 public:
  virtual ~SentenceModel() = default;
  virtual std::uint32_t dimension() const = 0;
  virtual std::uint32_t max_positions() const = 0;
  /// dimension() numbers for each sequence, in order.
  virtual Result<void> encode(std::span<const Sequence> sequences, std::span<float> out) const = 0;
};

/// Texts that grow token by token; the model remembers what it has read, and stays alive. Not thread-safe.
class Generation {
 public:
  virtual ~Generation() = default;
  /// Appends a token to each text and gives the logits of the next one, one row a text.
  virtual Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) = 0;
};

/// A model that continues a text or, an encoder-decoder, answers one. Safe to share between threads.
class CausalModel {
 public:
  virtual ~CausalModel() = default;
  virtual std::uint32_t output_size() const = 0;
  virtual std::uint32_t max_positions() const = 0;  ///< of a text and what is appended to it together
  virtual bool answers() const = 0;                 ///< whether it is an encoder-decoder
  /// ln P of each token given those before it, without the first: ids.size() − 1 numbers a sequence, in
  /// order. An encoder-decoder refuses.
  virtual Result<void> score(std::span<const Sequence> sequences, std::span<float> out) const = 0;
  /// Begins texts with these prompts (of an encoder-decoder: its inputs) and gives the logits of the next
  /// token.
  virtual Result<std::unique_ptr<Generation>> begin(std::span<const Sequence> prompts,
                                                    std::span<float> logits) const = 0;
};

/// Opens models in folders as Hugging Face lays them out.
class LanguageModelBackend {
 public:
  virtual ~LanguageModelBackend() = default;
  virtual Result<std::shared_ptr<const MaskedModel>> open_masked(const std::filesystem::path& folder,
                                                                 const LanguageModelResources& resources) = 0;
  virtual Result<std::shared_ptr<const SentenceModel>> open_sentence(
      const std::filesystem::path& folder, const LanguageModelResources& resources) = 0;
  virtual Result<std::shared_ptr<const CausalModel>> open_causal(const std::filesystem::path& folder,
                                                                 const LanguageModelResources& resources) = 0;
  /// What decides the last digits of answers besides the model (library, processor, device), on one line.
  /// Where it differs, answers may.
  virtual Result<std::string> arithmetic(const LanguageModelResources& resources) = 0;
};

/// The plugin, loaded by the first call (see base/plugin.hpp); an error that says what is missing where there
/// is none. Lives as long as the program. Thread-safe.
Result<LanguageModelBackend*> language_model_backend();

/// What the plugin exports; `abi` must be that of the program. Owned by the plugin.
inline constexpr std::uint32_t kLanguageModelAbi = 3;
inline constexpr const char* kLanguageModelFactory = "sotto_language_model_backend";

}  // namespace sotto
