// Attacks: how often an adversary who sees a mechanism's output guesses the input word.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/estimate.hpp>
#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::array<std::string_view, 3> kAttackNames = {"bayes", "nearest", "inversion"};
inline constexpr std::array<std::string_view, 2> kPriorNames = {"uniform", "counts"};

struct AttackOptions {
  MechanismSpec mechanism;
  std::vector<std::string> attacks;  ///< any of bayes, nearest, inversion; empty: all
  std::uint64_t words = 1000;        ///< number of possible secret words, drawn from the prior; 0: all
  std::string prior = "uniform";   ///< over the secret words: uniform, or counts (the model's public counts)
  std::uint64_t neighbours = 20;   ///< candidates of the inversion attack
  std::uint64_t draws = 1000;      ///< without a closed form: draws per word to learn from
  std::uint64_t trials = 100'000;  ///< without a closed form: secrets to guess
  double confidence = 0.99;        ///< of each interval
  std::optional<std::uint64_t> seed;
  ProgressCallback progress;  ///< receives the number of secret words processed and their total
};

struct AttackResult {
  std::string name;
  std::string adversary;         ///< what the adversary knows and does, in one sentence
  Estimate success;              ///< of the best guess; for bayes, 1 − success is the Bayes-optimal error
  std::uint64_t candidates = 0;  ///< words among which it guesses; fewer of them make every guess easier
  Estimate expected_error;       ///< E_M: of a guess drawn with the adversary's weights
};

struct AttackReport {
  std::string mechanism;
  double epsilon = 0;
  std::string model;
  std::string prior;
  std::uint64_t words = 0;  ///< number of possible secret words
  bool whole_vocabulary = false;
  bool exact = false;        ///< computed from the mechanism's rows; otherwise sampled
  std::uint64_t draws = 0;   ///< per word, to learn from; 0 if exact
  std::uint64_t trials = 0;  ///< 0 if exact
  double confidence = 0;
  double blind_success = 0;  ///< of the best guess without seeing the output: the largest prior probability
  std::string metric;        ///< of the utility loss
  Estimate utility_loss;     ///< L_M with this metric: the expected distance between input and output word
  Estimate changed;          ///< L_M that counts 1 for a different word and 0 for the same word
  std::vector<AttackResult> attacks;
  double seconds = 0;
};

/// As JSON (docs/schemas/attack.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const AttackReport& report);

/// Builds the mechanism that `options` describe and attacks it. π is the prior over the secret words, f the
/// mechanism:
///
/// bayes: knows π and f. Its posterior given the output w′ is g(ŵ|w′) = π(ŵ)f(w′|ŵ) / Σ_w π(w)f(w′|w).
/// expected_error is E_M = Σ π(w)f(w′|w)g(ŵ|w′)·1{ŵ ≠ w}, the error of a guess drawn from g; 1 − success is
/// the error of guessing the most probable word, the smallest error of any adversary.
/// nearest: guesses the output itself, or the secret word nearest to it in the model.
/// inversion: knows π, ε and the model, but not f. It gives the `neighbours` secret words nearest to the
/// output the weights π(w)·exp(−½ε·d(w, w′)).
///
/// d is the Euclidean distance or, in a model without vectors, the smallest index distance over its lists.
/// The figures are exact if the mechanism has rows. Otherwise bayes learns f from `draws` draws per word and
/// falls back on prior and distance for outputs that it has rarely seen, so its success is that of one
/// adversary and a lower bound for the best one; all figures are estimated on `trials` fresh secrets.
/// Thread-safe unless another thread changes the environment.
SOTTO_API Result<AttackReport> attack(const AttackOptions& options);

/// Same for an open mechanism; ignores `options.mechanism`. Thread-safe.
SOTTO_API Result<AttackReport> attack(const OpenMechanism& open, const AttackOptions& options = {});

/// Same for a mechanism of the caller's own. Of `options.mechanism` it uses the name, for the report, the ε
/// and the number of threads. Thread-safe.
SOTTO_API Result<AttackReport> attack(const Mechanism& mechanism, const Model& model,
                                      const AttackOptions& options);

struct InputGuessOptions {
  MechanismSpec mechanism;
  std::string prior = "uniform";  ///< over the input words: uniform, or counts (the model's public counts)
  std::uint64_t guesses = 10;     ///< how many to list, at most kMostListedGuesses
  std::uint64_t neighbours = 20;  ///< without a closed form: input words that are considered
  std::uint64_t draws = 1000;     ///< without a closed form: draws per input word
  std::optional<std::uint64_t> seed;
};
inline constexpr std::uint64_t kMostListedGuesses = 1000;

struct InputGuess {
  std::string word;
  double probability = 0;  ///< that it was the input, given the output
};

/// What the best adversary says of one output word.
struct InputGuesses {
  std::string output;  ///< as the model spells it
  std::string mechanism;
  double epsilon = 0;
  std::string model;
  std::string prior;
  bool exact = false;            ///< computed from the mechanism's column; otherwise estimated from draws
  std::uint64_t candidates = 0;  ///< input words that share the probability
  std::uint64_t draws = 0;       ///< per candidate; 0 if exact
  std::uint64_t seen = 0;        ///< how many of all draws were this output; 0 if exact
  double blind = 0;  ///< of the best guess without seeing the output: the largest prior probability
  std::vector<InputGuess> guesses;  ///< best first, those of probability 0 left out
};

/// As JSON (docs/schemas/input_guesses.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const InputGuesses& guesses);

/// What the Bayes adversary, who knows prior and mechanism, says of one output word: the posterior over the
/// input words, g(w|w′) = π(w)f(w′|w) / Σ_v π(v)f(w′|v). Exact if the mechanism has columns; of a selection
/// mechanism the first call prepares all rows, which takes seconds for tens of thousands of words, and later
/// calls on the same open mechanism are fast. Otherwise the posterior is shared by the `neighbours` words
/// nearest to the output: draws of each, and as much as 20 draws of the output would weigh, π(w)·exp(−½ε·d(w,
/// w′)). So it is rough where few draws were the output. `output` must be a word of the model. Thread-safe
/// unless another thread changes the environment.
SOTTO_API Result<InputGuesses> guess_inputs(std::string_view output, const InputGuessOptions& options);

/// Same for an open mechanism; ignores `options.mechanism`. Thread-safe.
SOTTO_API Result<InputGuesses> guess_inputs(std::string_view output, const OpenMechanism& open,
                                            const InputGuessOptions& options = {});

struct MaskInferenceOptions {
  std::string model = "sotto-en-mlm";  ///< a masked model, see find_language_model
  std::uint64_t candidates = 5;        ///< number of guesses that success_among allows
  double confidence = 0.99;            ///< of each interval
  LanguageModelResources resources;
  ProgressCallback progress;  ///< receives the number of lines processed and their total
};

struct MaskInferenceReport {
  std::string model;
  std::uint64_t lines = 0;
  std::uint64_t lines_left_out = 0;  ///< skipped: the number of words differs from the original's
  std::uint64_t places = 0;          ///< words guessed
  std::uint64_t sayable = 0;         ///< places whose original word the model knows
  std::uint64_t changed = 0;         ///< places whose word the mechanism changed
  std::uint64_t candidates = 0;
  std::uint64_t vocabulary = 0;  ///< words among which the model guesses
  double confidence = 0;
  Estimate success;          ///< the best guess is the original word
  Estimate success_among;    ///< one of the best `candidates` guesses is the original word
  Estimate success_changed;  ///< as success, over changed places only; all 0 if there are none
  double kept = 0;   ///< share of places whose word is unchanged: the success of simply reading the output
  double blind = 0;  ///< success of always guessing the most frequent original word
  double seconds = 0;
};

/// As JSON (docs/schemas/mask_inference.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const MaskInferenceReport& report);

/// Mask-token inference: masks the words of a privatized text one by one and has a masked model guess the
/// original word from the rest. Line i of `privatized` belongs to line i of `original`; any mechanism may
/// have produced it. Words are compared by their lookup_form. Thread-safe except while the first language
/// model is loaded (see language_models.hpp).
SOTTO_API Result<MaskInferenceReport> infer_masked_words(const std::vector<std::string>& original,
                                                         const std::vector<std::string>& privatized,
                                                         const MaskInferenceOptions& options);

}  // namespace sotto
