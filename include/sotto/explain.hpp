// What a mechanism does to one word, and how well its outputs tell two words apart.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/attacker_success.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::size_t kMostListedOutputs = 1'000'000;
inline constexpr std::uint64_t kMostExplainingDraws = 1'000'000'000;

struct ExplainOptions {
  MechanismSpec mechanism;
  std::size_t top = 10;           ///< number of outputs to list, from 1 to kMostListedOutputs
  std::uint64_t draws = 100'000;  ///< without a closed form: samples, from 1 to kMostExplainingDraws
  /// Words outside the vocabulary: nearest or bottom, as in Policy. Without effect on language models.
  OovPolicy oov = OovPolicy::nearest;
};

/// How a word gets its place in a mechanism that works word by word.
enum class EntryPath {
  vocabulary,  ///< it is a word of the model
  folded,      ///< the public map simplifies its spelling
  corrected,   ///< the map corrects its spelling
  subword,     ///< the map goes by its parts
  uniform,     ///< ⊙: it has no meaningful place, so its place is drawn uniformly from all words
  bottom,      ///< ⊥, the one place of all words outside the vocabulary under OovPolicy::bottom
};
/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 6> kEntryPathNames = {"vocabulary", "folded",  "corrected",
                                                                    "subword",    "uniform", "bottom"};

/// Thread-safe.
SOTTO_API const char* to_string(EntryPath path);

/// What a word enters the mechanism as.
struct WordEntry {
  EntryPath path = EntryPath::vocabulary;
  std::string word;  ///< of the model; empty for ⊙ and ⊥

  bool operator==(const WordEntry&) const = default;
};

/// A word of a text. A mechanism with a language model draws it in its context.
struct TextPlace {
  std::string text;
  std::size_t word = 1;  ///< counted from 1; numbers and punctuation are no words
};

struct Outcome {
  std::string word;
  double probability;
  double standard_error;  ///< 0 if exact
};

struct Explanation {
  std::string word;
  bool in_vocabulary = false;
  std::optional<WordEntry> entry;  ///< empty if the context matters
  std::optional<TextPlace> place;  ///< where it stands, if the context matters
  std::string model;
  std::uint64_t draws = 0;   ///< 0: the distribution is exact; otherwise it is estimated from this many draws
  std::vector<Outcome> top;  ///< most probable first, ties in vocabulary order
  double stays = 0;  ///< N_w: the probability that what the word enters as comes out; 0 for ⊙ and ⊥
  double distinct_in_100 = 0;            ///< S_w: expected number of distinct outputs in 100 draws
  std::size_t words_for_95_percent = 0;  ///< size of the smallest set of outputs with probability 0.95
  Guarantee guarantee;
  std::optional<AttackerSuccess> attacker;  ///< on all words; empty: not measured for this setting
};

/// As JSON (docs/schemas/explanation.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const Explanation& explanation);

/// The output distribution of `word`: exact if the mechanism has a closed form, otherwise sampled; sampled
/// also for a word without a meaningful place if the model has more than 50,000 words. What is not in the
/// vocabulary must be one word, punctuation aside. Thread-safe unless another thread changes the
/// environment.
SOTTO_API Result<Explanation> explain(std::string_view word, const ExplainOptions& options);

/// Same for an open mechanism; ignores `options.mechanism`. Thread-safe with the same restriction.
SOTTO_API Result<Explanation> explain(std::string_view word, const OpenMechanism& open,
                                      const ExplainOptions& options = {});

/// The output distribution of a word of a text. A masked mechanism draws it in its context; what is explained
/// is the draw that sees the original words everywhere else. A mechanism that works word by word does not
/// look at the context. One that writes a new text has no places and is an error. Thread-safe with the
/// restriction at the top of language_models.hpp.
SOTTO_API Result<Explanation> explain(const TextPlace& place, const ExplainOptions& options);

struct CompareOptions {
  ExplainOptions explain;        ///< the ε of its mechanism is not used
  std::vector<double> epsilons;  ///< at least one
};

/// An output, and its probability for each of the two words.
struct PairedOutcome {
  std::string word;
  double first = 0;
  double second = 0;
};

/// Two words under a mechanism at one ε. A loss is the logarithm of a factor: an output is at most
/// exp(loss) times as likely for one word as for the other.
struct WordPair {
  double epsilon = 0;
  double distance = 0;  ///< d in the mechanism's own metric; 1 for pure ε; infinite: nothing is promised
  /// γ, where the metric is truncated at one: no distance counts for more at this ε. Infinite: it is not.
  double largest_distance = std::numeric_limits<double>::infinity();
  double promised_loss = 0;  ///< ε·d and the additive term; infinite: nothing is promised
  /// The largest loss over the outputs that the promise covers; infinite: an output is possible for one word
  /// only. If estimated (`draws`), a bound that the true one exceeds with 95% confidence.
  double observed_loss = 0;
  std::string telling_output;           ///< the output that attains it; empty: no output tells them apart
  std::uint64_t draws = 0;              ///< per word; 0: exact
  std::vector<PairedOutcome> outcomes;  ///< the likeliest for either word first
};

/// What distances mean in a model. Medians over words and pairs that depend on the model alone.
struct TypicalMetricDistances {
  double nearest_neighbour = 0;  ///< from a word to the one nearest to it
  double random_pair = 0;        ///< between two words
  std::uint64_t words = 0;       ///< looked at for the former
  std::uint64_t pairs = 0;       ///< looked at for the latter
};

struct WordComparison {
  std::string first;
  std::string second;
  bool first_in_vocabulary = false;
  bool second_in_vocabulary = false;
  std::optional<WordEntry> first_entry;  ///< empty if the context matters, as is the next
  std::optional<WordEntry> second_entry;
  std::optional<TextPlace> place;  ///< where the first stands, if the context matters
  std::string mechanism;
  std::string model;
  Guarantee guarantee;  ///< at the first ε
  /// In the metric of the guarantee at the first ε; empty if there is none or it is pure ε.
  std::optional<TypicalMetricDistances> typical;
  std::vector<WordPair> pairs;  ///< one per ε, as given
};

/// As JSON (docs/schemas/word_comparison.schema.json), ending in a newline. Infinite figures are null.
/// Thread-safe.
SOTTO_API std::string to_json(const WordComparison& comparison);

/// Both distributions at each ε, the distance of the words, and the promised and the observed loss.
/// Thread-safe unless another thread changes the environment.
SOTTO_API Result<WordComparison> compare_words(std::string_view first, std::string_view second,
                                               const CompareOptions& options);

/// Same for a word of a text and another word in its place. Thread-safe with the restriction at the top of
/// language_models.hpp.
SOTTO_API Result<WordComparison> compare_words(const TextPlace& place, std::string_view second,
                                               const CompareOptions& options);

/// The typical distances of an open mechanism's inputs: nearest neighbours of up to 200 words, spread over
/// the vocabulary, and 1,001 pairs. In a metric other than the Euclidean distance of vectors, a neighbour is
/// sought among the 50 words with the nearest vectors. Empty if the mechanism promises nothing, pure ε, or
/// something inside groups only, or the vocabulary has one word. Thread-safe.
SOTTO_API Result<std::optional<TypicalMetricDistances>> typical_metric_distances(const OpenMechanism& open);

}  // namespace sotto
