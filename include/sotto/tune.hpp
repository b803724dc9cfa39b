// Choosing a mechanism and its parameters: how much an adversary errs, how much is lost, and what is best.
//
// Paper "On a Utilitarian Approach to Privacy Preserving Text Generation", section 3: with π the prior on the
// secret word w, f(w′|w) the mechanism and g the posterior of an adversary who knows both,
//   E_M = Σ π(w) f(w′|w) g(ŵ|w′) 1{ŵ ≠ w}   (adversary's expected inference error: privacy)
//   L_M = Σ π(w) f(w′|w) d_L(w, w′)         (expected utility loss)
// and the mechanism to choose has the largest E_M among those with L_M ≤ C.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sotto/attack.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// The words that a mechanism is judged by, and what it costs that one becomes another.
struct WordTaskOptions {
  /// Lines "word", "word<TAB>label" or "word<TAB>label<TAB>count".
  std::optional<std::filesystem::path> table;
  /// (label, file with a word a line). Empty lines and lines that begin with ';' are skipped in all files.
  std::vector<std::pair<std::string, std::filesystem::path>> classes;
  /// Lines "from<TAB>to<TAB>loss" between labels, or between words. A pair that is given one way only costs
  /// the same the other way. Pairs that are not given cost 1 between words or labels that differ, otherwise
  /// 0; a word with several labels is as near as its nearest one. Empty: the same for all labels.
  std::optional<std::filesystem::path> losses;
  /// Of the secret: "list" (how often a word stands in the list, or its count there), "uniform", or "counts"
  /// (the model's public counts).
  std::string prior = "list";
  /// What may come out: "list", the words of the list (the model is cut down to them, as in the paper), or
  /// "model", all of its words.
  std::string outputs = "list";
  double unlabelled_loss = 1;  ///< where "model": of a word that is not in the list
};

/// One mechanism at one ε, measured.
struct TradeOff {
  std::string mechanism;
  double epsilon = 0;
  ParameterValues parameters;    ///< those that were given
  std::optional<Error> refusal;  ///< why there are no figures; none: there are
  bool exact = false;            ///< from the mechanism's rows; otherwise sampled
  GuaranteeKind guarantee = GuaranteeKind::none;
  Estimate inference_error;   ///< E_M
  Estimate best_guess_error;  ///< of the most probable secret: Bayes-optimal where exact, otherwise of what
                              ///< can be learnt from the draws, which is not less
  Estimate utility_loss;      ///< L_M
  Estimate changed;           ///< L_M with 1 for another word

  /// Mechanism and given parameters, such as "vickrey t=0.5".
  std::string name() const;
};

enum class TuneObjective { inference_error, best_guess_error };

struct TuneOptions {
  WordTaskOptions task;
  std::vector<std::string> mechanisms = {"vickrey"};
  std::vector<double> epsilons;
  /// Values to try for a parameter, by "name" (for every mechanism that has it) or "mechanism.name".
  std::map<std::string, std::vector<std::string>> grid;
  std::string model;        ///< empty: the default of the first mechanism
  double largest_loss = 0;  ///< C
  TuneObjective objective = TuneObjective::inference_error;
  bool unproven = false;      ///< whether a mechanism without a guarantee may be chosen
  std::uint64_t draws = 100;  ///< without closed form: of each word, at least 2
  double confidence = 0.99;   ///< of each interval
  std::optional<std::filesystem::path>
      plot;  ///< where a picture of the frontier goes, as SVG; empty: nowhere
  std::optional<std::uint64_t> seed;
  MechanismResources resources;
  ProgressCallback progress;  ///< told the words dealt with, and how many there are
};

struct TuneReport {
  std::string model;
  std::uint64_t listed = 0;   ///< words in the list
  std::uint64_t covered = 0;  ///< of these, how many the model has
  std::string prior;
  std::string outputs;
  TuneObjective objective = TuneObjective::inference_error;
  double largest_loss = 0;
  std::uint64_t draws = 0;
  double confidence = 0;
  double blind_error = 0;             ///< of the best guess without any output: the most that there can be
  std::vector<TradeOff> points;       ///< by mechanism, parameters, ε
  std::vector<std::size_t> frontier;  ///< points that none beats in both figures, by ascending loss
  std::optional<std::size_t> choice;  ///< largest objective among those whose estimated loss is allowed
  bool choice_is_certain = false;     ///< whether its whole interval is allowed
  std::optional<std::size_t> certain_choice;  ///< the best of those whose whole interval is
  double seconds = 0;

  /// The figure that is made large.
  const Estimate& objective_of(const TradeOff& point) const;
};

/// As JSON (docs/schemas/tune.schema.json), ending in a newline. Thread-safe.
std::string to_json(const TuneReport& report);

/// Measures every combination and chooses. Exact where a mechanism has a closed form; otherwise `draws`
/// outputs of each word are drawn, and noise mechanisms that add the same noise share it. The same for the
/// same seed, whatever the number of threads. Thread-safe.
Result<TuneReport> tune(const TuneOptions& options);

}  // namespace sotto
