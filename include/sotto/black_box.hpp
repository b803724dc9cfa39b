// The falsifier: treats a mechanism, the whole document path or an external program as a black box and tries
// to refute the claim made for it. It can refute a claim, but never prove one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/bit_source.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/policy.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What the draws pass through.
enum class AuditPath {
  mechanism,  ///< token ids through the mechanism
  document,   ///< texts through tokenizer, policy, mechanism and renderer
  command,    ///< words, one per line, through an external program
};

/// The first two; a command is named by itself.
inline constexpr std::array<std::string_view, 2> kAuditPathNames = {"mechanism", "document"};
inline constexpr std::array<std::string_view, 3> kClaimMetricNames = {"euclidean", "index", "pure"};

struct BlackBoxOptions {
  AuditPath path = AuditPath::mechanism;
  /// Its ε is the claimed one. If a command is audited, only ε and the model are used, by default the shipped
  /// vector model.
  MechanismSpec mechanism;
  Policy policy;        ///< for documents
  std::string command;  ///< run by /bin/sh; reads words, one per line, and writes as many lines
  double timeout = 60;  ///< seconds allowed per run of the command
  std::string metric;   ///< the d of the claim ε·d: euclidean, index or pure; empty: the mechanism's own
  std::uint64_t draws = 100'000;  ///< per word; one half selects the event, the other half tests it
  std::uint64_t pairs = 20;       ///< number of word pairs tested, each in both directions
  std::uint64_t runs = 0;         ///< for the checks of independence; 0: 1000, or 50 for a command
  double confidence = 0.999;      ///< that no true claim is refuted, over all tests together
  bool vocabulary_only = false;   ///< skip inputs outside the vocabulary
  /// Pairs of whole texts to compare, for documents. Empty: the falsifier generates some, in addition to
  /// one-word texts.
  std::vector<std::pair<std::string, std::string>> texts;
  /// Makes the choice of words and all draws except a command's reproducible.
  std::optional<std::uint64_t> seed;
  ProgressCallback progress;  ///< receives the number of draws made so far
};

/// One ordered pair of inputs and its event, which was selected on draws that are not counted here.
struct PairFinding {
  std::string first;      ///< the event is more likely for this input
  std::string second;     ///< than for this one
  std::string chosen_as;  ///< nearest, farthest, random, ranked, one image (strings mapped to one word),
                          ///< unmapped (strings without a place) or outside; for whole texts "given" or how
                          ///< they differ
  double distance = 0;    ///< in the unit of the claim
  double allowed = 0;     ///< the largest loss that the claim allows: ε·distance, plus any additive term
  std::vector<std::string> event;  ///< some of its outputs
  std::uint64_t event_size = 0;    ///< number of its outputs
  std::uint64_t draws = 0;         ///< per input
  std::uint64_t first_count = 0;   ///< draws of `first` in the event
  std::uint64_t second_count = 0;  ///< draws of `second` in the event
  double first_lower = 0;          ///< Clopper–Pearson lower bound on the event's probability for `first`
  double second_upper = 1;         ///< Clopper–Pearson upper bound for `second`
  double loss_lower = 0;           ///< ln(first_lower / second_upper), at least 0
  bool claimed = true;  ///< false: nothing is promised between these texts, so nothing can be refuted
  std::vector<std::string> differ_in;  ///< if not claimed: what the texts would have to share

  bool refutes() const { return claimed && loss_lower > allowed; }
};

/// A check for what single draws cannot show: that runs and tokens are independent.
struct IndependenceFinding {
  std::string name;   ///< repeated outputs, agreement at a distance, or joint event
  bool made = false;  ///< false: the check was impossible, `detail` says why
  bool refutes = false;
  std::string detail;  ///< one sentence with the numbers
};

struct BlackBoxReport {
  std::string audited;  ///< the mechanism or the command
  std::string model;
  std::string metric;     ///< of the claim; "pure" for pure ε
  bool own_claim = true;  ///< false: the claim came from the options; the mechanism may promise nothing
  double epsilon = 0;     ///< claimed
  double confidence = 0;
  std::uint64_t draws = 0;  ///< per word
  std::uint64_t tests = 0;  ///< ordered pairs
  std::uint64_t draws_in_all = 0;
  std::vector<PairFinding> pairs;  ///< by descending loss_lower − allowed
  std::vector<IndependenceFinding> independence;
  /// Lower bound on ε: the largest loss_lower, less any additive term, per distance; infinite if equal inputs
  /// were told apart.
  double epsilon_lower = 0;
  double largest_refutable = 0;          ///< a larger ε·d cannot be refuted with this number of draws
  std::uint64_t pairs_out_of_reach = 0;  ///< ordered pairs whose allowed loss is at least that
  double seconds = 0;

  /// Some pair refutes the claim.
  SOTTO_API bool losses_refute() const;
  /// Some check refutes the claim. Then the loss bounds, which need independent draws, mean little.
  SOTTO_API bool independence_refutes() const;
  bool refuted() const { return losses_refute() || independence_refutes(); }
};

/// As JSON (docs/schemas/black_box.schema.json), ending in a newline; an infinite epsilon_lower becomes the
/// string "infinite". Thread-safe.
SOTTO_API std::string to_json(const BlackBoxReport& report);

/// Builds what `options` describe and tries to refute the claim. Uses the operating system's randomness
/// unless a seed is given. Thread-safe except while the first language model is loaded (see
/// language_models.hpp).
SOTTO_API Result<BlackBoxReport> audit_black_box(const BlackBoxOptions& options);

/// Creates the randomness of a run; runs with different numbers should be independent. Called from several
/// threads.
using BitSourceMaker = std::function<std::unique_ptr<BitSource>(std::uint64_t run)>;

/// Same for an existing mechanism. The claim is its own guarantee unless options.metric names one. If `bits`
/// is empty, randomness is chosen as above. Uses only the options draws, pairs, runs, confidence, metric,
/// vocabulary_only, seed and progress, and of `mechanism` the name, for the report, the ε (with a metric) and
/// the number of threads. Thread-safe if `bits` is.
SOTTO_API Result<BlackBoxReport> audit_black_box(const Mechanism& mechanism, const Model& model,
                                                 const BlackBoxOptions& options,
                                                 const BitSourceMaker& bits = {});

/// The largest ε·d that this number of draws per word, pairs and this confidence can refute: that of an event
/// that contains every test draw of one word and none of the other. With n = draws/2 and every bound at the
/// level β = (1 − confidence)/2/(4·pairs), it is ln(β^(1/n) / (1 − β^(1/n))). Thread-safe.
SOTTO_API double largest_refutable_loss(std::uint64_t draws, std::uint64_t pairs, double confidence);

}  // namespace sotto
