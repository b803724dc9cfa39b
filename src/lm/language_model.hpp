// What the mechanisms need from language models, independent of what computes them: the engine
// (src/lm/engine) for models stored in 8 bits, as the shipped ones are, and a plugin (src/lm/torch) for all
// others, so a program that needs none of these builds and starts without it.
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

namespace sotto::lm {

/// Subword ids as input of a model.
struct Sequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> positions;  ///< empty: 0, 1, 2, …
  std::vector<std::int32_t> segments;   ///< empty: all 0
  /// The index of an id within its word, for models whose words are pieces at one position; empty: all 0.
  std::vector<std::int32_t> pieces;
};

/// An interval that contains all of a model's logits.
struct LogitBounds {
  float lowest = 0;
  float highest = 0;
  bool by_architecture = false;  ///< the head cannot leave them; otherwise logits are clipped to them
};

/// How a model with a bounded head turns scores into logits: logit = range / (1 + exp(−slope · score)). All
/// of it is public: it depends on the model, the reach and the wander (MaskedModel::at_reach), not on any
/// text.
struct BoundedHead {
  float range = 0;
  float slope = 0;
  float reach = 0;      ///< used by the weights of a draw: the one requested, or the largest of training
  float log_total = 0;  ///< ln of the fixed sum of weights of a balanced draw
  /// What a balanced draw multiplies scores by if the replaced word is among the model's outputs, and if not.
  float sharpness_known = 1;
  float sharpness_unknown = 1;
};

/// Turns scores into logits; what is not a number stays so. The same bits on every processor, under
/// FloatMode.
void squash_all(const BoundedHead& head, std::span<float> scores);

/// What a draw subtracts from the scores of the word that stands in the original and of its inflections.
struct OwnPenalty {
  std::span<const float> of_word;       ///< one per output; empty: nothing
  std::span<const std::int32_t> group;  ///< of each output; inflections of one lemma share theirs
};

/// The public numbers of a balanced law (BalancedLaw), for a model that draws by it. They must outlive the
/// call they are passed to.
struct PublicLaw {
  std::span<const std::uint32_t> outcomes;  ///< the model's output of each
  std::span<const double> base;             ///< a measure of 1
  /// The bounds of each weight: whole numbers from 1 to 2^61.
  std::span<const double> low;
  std::span<const double> high;
  std::int64_t total = 0;  ///< of the weights of any draw, between the sums of the bounds; below 2^62
  double reach = 0;
  double slope = 0;
  double log_total = 0;
  double gap = 0;  ///< between the largest score and a first guess at the shift
};

/// A draw that a model makes: what the host knows about it.
struct WordDraw {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint64_t point = 0;    ///< uniform below the total of the law
  std::uint32_t own = kNone;  ///< the output that stands in the original, whose OwnPenalty counts
  float factor = 1;           ///< of the scores, after the penalty
};

/// Draws by a law where the scores are computed, so that only outcomes are copied. Every weight lies between
/// its public bounds and the weights add up to exactly the public total, whatever the scores are; only how
/// close they come to the law is a matter of arithmetic. Safe to share between threads.
class WordDrawer {
 public:
  virtual ~WordDrawer() = default;
  /// As MaskedModel::logits_at, with one element of `draws` and `outcomes` per place. An outcome is a
  /// function of its sequence, place and draw, up to rounding in the scores. Scores that are not numbers are
  /// an error.
  virtual Result<void> draw(std::span<const Sequence> sequences,
                            std::span<const std::vector<std::uint32_t>> places,
                            std::span<const WordDraw> draws, std::span<std::uint32_t> outcomes) const = 0;
};

/// The version of what a WordDrawer computes: like kLawVersion, part of the configuration.
inline constexpr std::uint64_t kWordDrawerVersion = 1;

/// A model that fills a masked position. Safe to share between threads.
class MaskedModel {
 public:
  virtual ~MaskedModel() = default;

  virtual std::uint32_t input_size() const = 0;   ///< number of input ids
  virtual std::uint32_t output_size() const = 0;  ///< number of logits
  virtual std::uint32_t max_positions() const = 0;
  virtual std::uint32_t segment_count() const = 0;  ///< segments are below this
  virtual std::uint32_t piece_count() const = 0;    ///< pieces are below this
  /// Where the architecture keeps the logits for any weights and input; nullopt: they are unbounded.
  virtual std::optional<LogitBounds> bounds() const = 0;

  /// The model, sharing its weights, as it answers draws whose ln weights differ by at most `reach`; null for
  /// a model without a bounded head. One that has it must be used this way: it answers with scores, which
  /// bounded_head() turns into logits within bounds(). Models without a usual_wander() ignore `wander`, which
  /// is from 0 to 1.
  virtual Result<std::shared_ptr<const MaskedModel>> at_reach(double /*reach*/, double /*wander*/) const {
    return nullptr;
  }
  /// What `wander` is unless the user says so; nullopt for a model that does not depend on it.
  virtual std::optional<double> usual_wander() const { return std::nullopt; }
  /// Of a model from at_reach, as is what follows: null in all others.
  virtual const BoundedHead* bounded_head() const { return nullptr; }
  virtual OwnPenalty own_penalty() const { return {}; }
  /// ln of the public measure that a draw weighs by exp(logit·ε/(2·range)), one per logit; empty: uniform.
  virtual std::span<const float> log_base() const { return {}; }

  /// The logits at one place of each sequence: masked[i] is an index into sequences[i].ids. `out` takes
  /// output_size() numbers each, in order. Each answer depends on its own sequence alone, up to rounding.
  virtual Result<void> logits(std::span<const Sequence> sequences, std::span<const std::uint32_t> masked,
                              std::span<float> out) const = 0;
  /// The logits at several places of each sequence, which need only one pass over it: places[i] are indices
  /// into sequences[i].ids. `out` takes output_size() numbers per place, in order.
  virtual Result<void> logits_at(std::span<const Sequence> sequences,
                                 std::span<const std::vector<std::uint32_t>> places,
                                 std::span<float> out) const {
    std::vector<Sequence> copies;
    std::vector<std::uint32_t> each;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      copies.insert(copies.end(), places[i].size(), sequences[i]);
      each.insert(each.end(), places[i].begin(), places[i].end());
    }
    return logits(copies, each, out);
  }
  /// The logits at every place of a sequence, output_size() numbers each. Costs far more per place than
  /// `logits` does in batches.
  virtual Result<void> logits_everywhere(const Sequence& sequence, std::span<float> out) const {
    std::vector<std::uint32_t> places(sequence.ids.size());
    std::iota(places.begin(), places.end(), 0U);
    return logits_at({&sequence, 1}, {&places, 1}, out);
  }

  /// Whether its scores are better drawn from where they are than copied: it computes on a GPU.
  virtual bool prefers_to_draw() const { return false; }
  /// Draws by this law with scores of this model, which must outlive the result; null for a model that
  /// cannot.
  virtual Result<std::unique_ptr<const WordDrawer>> drawer(const PublicLaw& /*law*/) const { return nullptr; }
};

/// A model that turns texts into vectors of length 1. Safe to share between threads.
class SentenceModel {
 public:
  virtual ~SentenceModel() = default;
  virtual std::uint32_t dimension() const = 0;
  virtual std::uint32_t max_positions() const = 0;
  /// dimension() numbers per sequence, in order.
  virtual Result<void> encode(std::span<const Sequence> sequences, std::span<float> out) const = 0;
};

/// Texts that grow token by token; keeps the model alive and caches what it has read. Not thread-safe.
class Generation {
 public:
  virtual ~Generation() = default;
  /// Appends a token to each text and returns the logits of the next one, one row per text.
  virtual Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) = 0;
};

/// A model that continues a text or, as an encoder-decoder, answers one. Safe to share between threads.
class CausalModel {
 public:
  virtual ~CausalModel() = default;
  virtual std::uint32_t output_size() const = 0;
  virtual std::uint32_t max_positions() const = 0;  ///< of a text together with what is appended to it
  virtual bool answers() const = 0;                 ///< whether it is an encoder-decoder
  /// ln P of each token given those before it, except the first: ids.size() − 1 numbers per sequence, in
  /// order. Fails for an encoder-decoder.
  virtual Result<void> score(std::span<const Sequence> sequences, std::span<float> out) const = 0;
  /// Starts texts with these prompts (for an encoder-decoder: its inputs) and returns the logits of the next
  /// token.
  virtual Result<std::unique_ptr<Generation>> begin(std::span<const Sequence> prompts,
                                                    std::span<float> logits) const = 0;
};

/// Opens model folders in Hugging Face's layout.
class LanguageModelBackend {
 public:
  virtual ~LanguageModelBackend() = default;
  virtual Result<std::shared_ptr<const MaskedModel>> open_masked(const std::filesystem::path& folder,
                                                                 const LanguageModelResources& resources) = 0;
  virtual Result<std::shared_ptr<const SentenceModel>> open_sentence(
      const std::filesystem::path& folder, const LanguageModelResources& resources) = 0;
  virtual Result<std::shared_ptr<const CausalModel>> open_causal(const std::filesystem::path& folder,
                                                                 const LanguageModelResources& resources) = 0;
  /// What besides the model determines the last digits of answers (library, processor, device), on one line.
  /// If it differs, answers may differ.
  virtual Result<std::string> arithmetic(const LanguageModelResources& resources) = 0;
};

/// What a folder is opened as.
enum class ModelUse { masked, sentence, causal };

/// What computes a folder's model: the engine if it is stored in 8 bits, its architecture is one of the
/// shipped models', and the resources allow it; otherwise the plugin. Lives as long as the program.
/// Thread-safe.
Result<LanguageModelBackend*> language_model_backend(ModelUse use, const std::filesystem::path& folder,
                                                     const LanguageModelResources& resources);

/// The precision that it computes with where the resources leave it open. Thread-safe.
Precision precision_used(const LanguageModelBackend& backend, const LanguageModelResources& resources);

/// The engine. Thread-safe.
LanguageModelBackend& engine_backend();

/// The plugin, loaded by the first call (see base/plugin.hpp); without one, an error that says what is
/// missing. Lives as long as the program. Thread-safe.
Result<LanguageModelBackend*> language_model_plugin();

/// What the plugin exports; `abi` must match the program's. Owned by the plugin.
inline constexpr std::uint32_t kLanguageModelAbi = 7;
inline constexpr const char* kLanguageModelFactory = "sotto_language_model_backend";

}  // namespace sotto::lm
