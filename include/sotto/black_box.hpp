// The falsifier: treats a mechanism, the whole document path or a foreign program as a black box and tries to
// refute what is claimed for it. It can refute a claim; it can never prove one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/policy.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What the draws go through.
enum class AuditPath {
  mechanism,  ///< token ids through the mechanism
  document,   ///< texts through tokenizer, policy, mechanism and renderer
  command,    ///< words, one a line, through a foreign program
};

struct BlackBoxOptions {
  AuditPath path = AuditPath::mechanism;
  std::string mechanism = "diffractor-geometric";  ///< not for a command
  double epsilon = 0;                              ///< what is claimed
  ParameterValues parameters;                      ///< of the mechanism
  std::string model;    ///< empty: the mechanism's default; for a command the shipped vector model
  Policy policy;        ///< for documents
  std::string command;  ///< run by /bin/sh; reads words, one a line, and writes as many
  double timeout = 60;  ///< seconds one run of the command may take
  std::string metric;   ///< the d of the claim ε·d: euclidean, index or pure; empty: the mechanism's own
  std::uint64_t draws = 100'000;  ///< a word; one half chooses the event, the other tests it
  std::uint64_t pairs = 20;       ///< how many pairs of words are tested, each in both directions
  std::uint64_t runs = 0;         ///< for repeats and correlations; 0: 1000, or 50 of a command
  double confidence = 0.999;      ///< that no true claim is refuted, over everything tested together
  bool vocabulary_only = false;   ///< leave inputs outside the vocabulary out
  /// Whole texts to compare, for documents; empty: the falsifier makes its own, beside texts of one word.
  std::vector<std::pair<std::string, std::string>> texts;
  std::optional<std::uint64_t>
      seed;  ///< makes the choice of words and all draws (but a command's) repeatable
  MechanismResources resources;
  ProgressCallback progress;  ///< told the draws made so far
};

/// One ordered pair of inputs and the event that was chosen for it on draws that are not counted here.
struct PairFinding {
  std::string first;               ///< the event is likelier here
  std::string second;              ///< than here
  std::string chosen_as;           ///< nearest, farthest, random, ranked or outside
  double distance = 0;             ///< in the unit of the claim
  double allowed = 0;              ///< ε·distance, the largest loss that the claim allows
  std::vector<std::string> event;  ///< some of its outputs
  std::uint64_t event_size = 0;    ///< how many outputs it has
  std::uint64_t draws = 0;         ///< of each input
  std::uint64_t first_count = 0;   ///< how many were in the event
  std::uint64_t second_count = 0;
  double first_lower = 0;   ///< Clopper–Pearson bound on the event's probability, from below
  double second_upper = 1;  ///< and from above
  double loss_lower = 0;    ///< ln(first_lower / second_upper), not below 0
  bool claimed = true;      ///< false: nothing is promised between these texts, so nothing can be refuted
  std::vector<std::string> differ_in;  ///< then: what they would have to share

  bool refutes() const { return claimed && loss_lower > allowed; }
};

/// A check of what single draws cannot show: that runs and tokens are independent.
struct IndependenceFinding {
  std::string name;   ///< repeated outputs, agreement at a distance, or joint event
  bool made = false;  ///< false: it could not be made, `detail` says why
  bool refutes = false;
  std::string detail;  ///< one sentence with the numbers
};

struct BlackBoxReport {
  std::string audited;  ///< the mechanism, or the command
  std::string model;
  std::string metric;     ///< of the claim; "pure" for pure ε
  bool own_claim = true;  ///< false: the claim came with the options, the mechanism may promise nothing
  double epsilon = 0;     ///< claimed
  double confidence = 0;
  std::uint64_t draws = 0;  ///< a word
  std::uint64_t tests = 0;  ///< ordered pairs
  std::uint64_t draws_in_all = 0;
  std::vector<PairFinding> pairs;  ///< the greatest loss_lower − allowed first
  std::vector<IndependenceFinding> independence;
  double epsilon_lower = 0;  ///< lower bound on ε: the largest loss_lower / distance; infinite where equal
                             ///< inputs were told apart
  double largest_refutable = 0;          ///< ε·d above this cannot be refuted with so many draws
  std::uint64_t pairs_out_of_reach = 0;  ///< ordered pairs whose allowed loss is above it
  double seconds = 0;

  bool losses_refute() const;         ///< some pair
  bool independence_refutes() const;  ///< some check; then the bounds on losses, which need independent
                                      ///< draws, mean little
  bool refuted() const { return losses_refute() || independence_refutes(); }
};

/// As JSON (docs/schemas/black_box.schema.json), ending in a newline; an infinite epsilon_lower is the word
/// "infinite". Thread-safe.
std::string to_json(const BlackBoxReport& report);

/// Builds what `options` name and tries to refute the claim. Draws are from the operating system's randomness
/// unless there is a seed. Thread-safe.
Result<BlackBoxReport> audit_black_box(const BlackBoxOptions& options);

/// Makes the randomness of a run; runs of different numbers should be independent. Called from several
/// threads.
using BitSourceMaker = std::function<std::unique_ptr<BitSource>(std::uint64_t run)>;

/// The same for a mechanism that is there already, whose claim is its own guarantee unless options.metric
/// names one; `bits` empty: as above. Of the options only draws, pairs, runs, confidence, metric, epsilon
/// (with a metric), vocabulary_only, seed, progress and resources.threads are read.
Result<BlackBoxReport> audit_black_box(const Mechanism& mechanism, const Model& model,
                                       const BlackBoxOptions& options, const BitSourceMaker& bits = {});

/// The largest ε·d that `draws` draws a word, `pairs` pairs and this confidence can refute: that of an event
/// in which every test draw of one word falls and none of the other. With n = draws/2 and every bound at the
/// level β = (1 − confidence)/2/(4·pairs) it is ln(β^(1/n) / (1 − β^(1/n))).
double largest_refutable_loss(std::uint64_t draws, std::uint64_t pairs, double confidence);

}  // namespace sotto
