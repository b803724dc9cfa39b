// Choosing a mechanism and its parameters: how often an adversary errs, how much utility is lost, and which
// choice is best.
//
// Paper "On a Utilitarian Approach to Privacy Preserving Text Generation", section 3: with π the prior over
// the secret word w, f(w′|w) the mechanism, and g the posterior of an adversary who knows both,
//   E_M = Σ π(w) f(w′|w) g(ŵ|w′) 1{ŵ ≠ w}   (adversary's expected inference error: privacy)
//   L_M = Σ π(w) f(w′|w) d_L(w, w′)         (expected utility loss)
// and the mechanism to choose has the largest E_M among those with L_M ≤ C.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/attack.hpp>
#include <sotto/estimate.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::array<std::string_view, 3> kWordTaskPriorNames = {"list", "uniform", "counts"};
inline constexpr std::array<std::string_view, 2> kWordTaskOutputNames = {"list", "model"};

/// Larger losses are refused.
inline constexpr double kLargestLoss = 1e9;

/// The words by which a mechanism is judged, and the cost of replacing one by another.
struct WordTaskOptions {
  /// Lines "word", "word<TAB>label" or "word<TAB>label<TAB>count".
  std::optional<std::filesystem::path> table;
  /// (label, file with one word per line). In all files, empty lines and lines that start with ';' are
  /// skipped.
  std::vector<std::pair<std::string, std::filesystem::path>> classes;
  /// Lines "from<TAB>to<TAB>loss" between labels or between words. If only one direction of a pair is given,
  /// its loss applies to both. Pairs that are not given cost 1 between different words or labels, otherwise
  /// 0; a word with several labels is as near as its nearest one. Empty: the same for all labels.
  std::optional<std::filesystem::path> losses;
  /// Over the secret words: "list" (the number of occurrences in the list, or the count given there),
  /// "uniform", or "counts" (the model's public counts).
  std::string prior = "list";
  /// Possible outputs: "model", all words of the model, or "list", the words of the list alone. The model is
  /// then reduced to them, as in the paper: a mechanism that nobody runs, so nothing is recommended.
  std::string outputs = "model";
  double unlabelled_loss = 1;  ///< with "model": of a word that is not in the list; 0 to kLargestLoss
};

/// Measurements of one mechanism at one ε.
struct TradeOff {
  std::string mechanism;
  double epsilon = 0;
  ParameterValues parameters;  ///< those that were given
  std::string model;           ///< name or path, as find_model takes it; empty: the mechanism's default
  std::string unit;  ///< what ε multiplies, for example "epsilon times list index distance"; points of
                     ///< different units have ε that cannot be compared
  std::optional<Error> refusal;  ///< why there are no figures; empty: there are figures
  bool exact = false;            ///< computed from the mechanism's rows; otherwise sampled
  GuaranteeKind guarantee = GuaranteeKind::none;
  Estimate inference_error;   ///< E_M
  Estimate best_guess_error;  ///< of guessing the most probable secret: Bayes-optimal if exact, otherwise
                              ///< that of an adversary who learns from the draws, which is not smaller
  Estimate utility_loss;      ///< L_M
  Estimate changed;           ///< L_M that counts 1 for a different word

  /// Mechanism and given parameters, for example "vickrey t=0.5".
  SOTTO_API std::string name() const;
};

enum class TuneObjective { inference_error, best_guess_error };
inline constexpr std::array<std::string_view, 2> kTuneObjectiveNames = {"inference-error", "best-guess"};

struct TuneOptions {
  WordTaskOptions task;
  std::vector<std::string> mechanisms = {"vickrey"};
  std::vector<double> epsilons;  ///< in any order; a repeated one counts once
  /// Values to try, by parameter: "name" (of every mechanism that has it) or "mechanism.name".
  std::map<std::string, std::vector<std::string>> grid;
  /// Names or paths. Each mechanism uses the first that has what it needs, vectors or lists; words that one
  /// of them lacks are left out for all. Empty: each mechanism's default.
  std::vector<std::string> models;
  double largest_loss = 0;  ///< C, at most kLargestLoss
  TuneObjective objective = TuneObjective::inference_error;
  bool unproven = false;      ///< whether a mechanism without a guarantee may be chosen
  std::uint64_t draws = 100;  ///< per word, at least 2, if there is no closed form
  double confidence = 0.99;   ///< of each interval
  /// Where to write a plot of the frontier, as SVG; empty: nowhere.
  std::optional<std::filesystem::path> plot;
  std::optional<std::uint64_t> seed;
  MechanismResources resources;
  ProgressCallback progress;  ///< receives the number of words processed and their total
};

struct TuneReport {
  std::vector<std::string> models;  ///< names of those measured
  std::uint64_t listed = 0;         ///< words in the list
  std::uint64_t covered = 0;        ///< of these, words that all models have
  std::string prior;
  std::string outputs;
  TuneObjective objective = TuneObjective::inference_error;
  double largest_loss = 0;
  std::uint64_t draws = 0;
  double confidence = 0;
  double blind_error = 0;             ///< of the best guess without any output: the maximum possible
  std::vector<TradeOff> points;       ///< by mechanism, parameters, ε
  std::vector<std::size_t> frontier;  ///< points that no other beats in both figures, by ascending loss
  std::optional<std::size_t> choice;  ///< the largest objective among points whose estimated loss is allowed
  bool choice_is_certain = false;     ///< whether its whole interval is allowed
  std::optional<std::size_t> certain_choice;  ///< the best point whose whole interval is allowed
  double seconds = 0;

  /// The figure to maximize.
  SOTTO_API const Estimate& objective_of(const TradeOff& point) const;
};

/// As JSON (docs/schemas/tune.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const TuneReport& report);

/// Measures every combination and chooses the best. Exact if a mechanism has a closed form; otherwise `draws`
/// outputs are drawn per word, and noise mechanisms that add the same noise share it. The result for a given
/// seed does not depend on the number of threads. Thread-safe unless another thread changes the environment.
SOTTO_API Result<TuneReport> tune(const TuneOptions& options);

}  // namespace sotto
