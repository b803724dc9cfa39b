// Attacks: how often somebody who sees the output of a mechanism guesses the word that went in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct AttackOptions {
  std::string mechanism = "diffractor-geometric";
  double epsilon = 0;
  ParameterValues parameters;
  std::string model;                 ///< empty: the mechanism's default
  std::vector<std::string> attacks;  ///< of bayes, nearest, inversion; empty: all
  std::uint64_t words = 1000;        ///< how many words the secret may be, drawn by the prior; 0: all
  std::string prior = "uniform";     ///< of the secret: uniform, or counts (the model's public counts)
  std::uint64_t neighbours = 20;     ///< candidates of the inversion
  std::uint64_t draws = 1000;        ///< where there is no closed form: draws of each word to learn from
  std::uint64_t trials = 100'000;    ///< and secrets to guess
  double confidence = 0.99;          ///< of each interval
  std::optional<std::uint64_t> seed;
  MechanismResources resources;
  ProgressCallback progress;  ///< told the secret words dealt with, and how many there are
};

/// A figure and its confidence interval; all three are equal where it is exact.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct AttackResult {
  std::string name;
  std::string adversary;    ///< what it knows and does, in one sentence
  Estimate success;         ///< of the best guess; for bayes 1 − success is the Bayes-optimal error
  Estimate expected_error;  ///< E_M: of a guess that is drawn by the adversary's weights
};

struct AttackReport {
  std::string mechanism;
  double epsilon = 0;
  std::string model;
  std::string prior;
  std::uint64_t words = 0;  ///< that the secret may be
  bool whole_vocabulary = false;
  bool exact = false;        ///< from the mechanism's rows; otherwise sampled
  std::uint64_t draws = 0;   ///< of each word, to learn from; 0 where exact
  std::uint64_t trials = 0;  ///< 0 where exact
  double confidence = 0;
  double blind_success = 0;  ///< of the best guess without the output: the largest prior probability
  std::string metric;        ///< of the utility loss
  Estimate utility_loss;     ///< L_M with this metric: the expected distance of the output from the word
  Estimate changed;          ///< L_M with 1 for another word and 0 for the same
  std::vector<AttackResult> attacks;
  double seconds = 0;
};

/// As JSON (docs/schemas/attack.schema.json), ending in a newline. Thread-safe.
std::string to_json(const AttackReport& report);

/// Builds what `options` name and attacks it. With π the prior on the secret words and f the mechanism:
///
/// bayes: knows π and f. Its posterior after the output w′ is g(ŵ|w′) = π(ŵ)f(w′|ŵ) / Σ_w π(w)f(w′|w).
/// expected_error is E_M = Σ π(w)f(w′|w)g(ŵ|w′)·1{ŵ ≠ w}, the error of a guess drawn from g; 1 − success is
/// the error of the most probable word, the least that any adversary has.
/// nearest: guesses the output itself, or the secret word nearest to it in the model.
/// inversion: knows π, ε and the model but not f. Among the secret words nearest to the output, as many as
/// `neighbours`, it weighs π(w)·exp(−½ε·d(w, w′)).
///
/// d is the Euclidean distance; in a model without vectors the least index distance over the lists. Exact
/// where the mechanism has rows; otherwise bayes learns f from `draws` draws a word, and for outputs it saw
/// seldom goes by prior and distance, so its success is that of one adversary and a lower bound for the best
/// one; and everything is estimated on `trials` fresh secrets. Thread-safe.
Result<AttackReport> attack(const AttackOptions& options);

/// The same for a mechanism that is there already; mechanism, parameters and model of the options are not
/// read, epsilon is.
Result<AttackReport> attack(const Mechanism& mechanism, const Model& model, const AttackOptions& options);

struct MaskInferenceOptions {
  std::string model = "sotto-en-mlm";  ///< a masked model, see find_language_model
  std::uint64_t candidates = 5;        ///< how many guesses the second figure allows
  double confidence = 0.99;            ///< of each interval
  LanguageModelResources resources;
  ProgressCallback progress;  ///< told the lines dealt with, and how many there are
};

struct MaskInferenceReport {
  std::string model;
  std::uint64_t lines = 0;
  std::uint64_t lines_left_out = 0;  ///< with another number of words than their originals
  std::uint64_t places = 0;          ///< words that were guessed
  std::uint64_t sayable = 0;         ///< of these, how many originals the model could have named
  std::uint64_t changed = 0;         ///< of these, how many came out as another word
  std::uint64_t candidates = 0;
  double confidence = 0;
  Estimate success;          ///< the best guess is the original word
  Estimate success_among;    ///< one of the best `candidates` guesses is
  Estimate success_changed;  ///< the best guess is, where the word was changed; all 0 where none was
  double kept = 0;           ///< places whose word was not changed: the success of reading the output
  double blind = 0;          ///< success of always guessing the originals' most frequent word
  double seconds = 0;
};

/// As JSON (docs/schemas/mask_inference.schema.json), ending in a newline. Thread-safe.
std::string to_json(const MaskInferenceReport& report);

/// Mask-token inference: masks one word of a privatized text after the other and lets a masked model guess
/// the original word from the rest. Line i of one belongs to line i of the other, whatever mechanism made it;
/// words are compared by their lookup_form. Thread-safe.
Result<MaskInferenceReport> infer_masked_words(const std::vector<std::string>& original,
                                               const std::vector<std::string>& privatized,
                                               const MaskInferenceOptions& options);

}  // namespace sotto
