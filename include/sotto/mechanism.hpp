// Mechanisms: a row of a stochastic matrix for each input word, and the registry that names them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

class RowVisitor;

/// Tokens whose randomness is drawn and whose outputs are still to be found. A token's bits come from its
/// document's stream and can wait, so a mechanism that is faster on many tokens at once (one matrix product
/// for all) sees many documents together, and the output is the same whatever the batches are. Not
/// thread-safe: each thread has its own.
class PendingTokens {
 public:
  virtual ~PendingTokens() = default;

  /// Draws everything random about these tokens (⊥ allowed), in order.
  virtual void add(std::span<const TokenId> in, BitSource& bits) = 0;

  /// The outputs of all tokens added since the last call, in the order of adding; then it is empty again.
  /// `out` has their number. Outputs are words, never ⊥.
  virtual void resolve(std::span<TokenId> out) = 0;
};

/// A word-level mechanism bound to a model, parameters and ε. Safe to share between threads.
class Mechanism {
 public:
  virtual ~Mechanism() = default;

  /// An empty batch. It refers to the mechanism, which must outlive it.
  virtual std::unique_ptr<PendingTokens> make_pending() const = 0;

  /// How many tokens a batch should hold before it is resolved; 1 where batches bring nothing.
  virtual std::size_t good_batch() const { return 1; }

  /// The promise for one token.
  virtual Guarantee guarantee() const = 0;

  /// The d of a pair of inputs (⊥ allowed) in guarantee().unit: the promise is that the logarithms of the
  /// probabilities of each output differ by at most ε·d. 0 for equal inputs; 1 for pure ε; infinite where
  /// nothing is promised. Symmetric.
  virtual double distance(TokenId a, TokenId b) const;

  /// Whether the promise speaks of this output; false for some only where the scope is sensitive_outputs.
  virtual bool covers(TokenId output) const;

  /// SHA-256, in hex, of what decides the output beside model and parameters, such as a thesaurus; empty:
  /// nothing.
  virtual std::string data_digest() const { return {}; }

  /// The row P(·|word), one probability for each word of the model, or empty when there is no closed form.
  virtual std::vector<double> row(TokenId word) const = 0;

  /// Shows the integers that are sampled to the library's certifier, whose header is not installed. The
  /// default refuses with the reason why there is no exact certificate; so does a mechanism whose parameters
  /// leave it without a promise.
  virtual Result<void> show_rows(RowVisitor& visitor) const;

  /// Draws an output for each input id in order: out[i] ~ P(·|in[i]). The spans have equal length and may be
  /// the same.
  void privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const;
};

/// How the values of a parameter are read, and so which of their spellings are one and the same.
enum class ParameterKind {
  by_default,  ///< numbers where the default is a number, otherwise words
  words,       ///< taken letter by letter
  numbers,     ///< a number, or several separated by commas; beside them words such as "auto"
};

struct ParameterInfo {
  std::string name;
  std::string default_value;
  std::string description;  ///< what it does and which values are allowed
  ParameterKind kind = ParameterKind::by_default;
};

/// What a person needs to choose a mechanism; `guarantee` is in words, before any ε or model is chosen.
struct MechanismInfo {
  std::string name;
  std::string summary;
  std::string metric;
  std::string guarantee;
  std::string speed;
  std::string use_when;
  std::string default_model;
  std::vector<ParameterInfo> parameters;
};

/// As JSON (docs/schemas/mechanism.schema.json), ending in a newline. Thread-safe.
std::string to_json(const MechanismInfo& info);

/// The same for several, as an array (docs/schemas/mechanisms.schema.json). Thread-safe.
std::string to_json(std::span<const MechanismInfo> infos);

/// Parameters by name, as they are given. Complete ones (see complete_parameters) have one
/// spelling for each value.
using ParameterValues = std::map<std::string, std::string>;

/// Every mechanism, in the order in which a person should read them.
const std::vector<MechanismInfo>& mechanisms();

/// The entry of that name, or an error that lists the names there are.
Result<const MechanismInfo*> find_mechanism(std::string_view name);

/// `given` completed with the defaults, every value in its one spelling: what is hashed, charged or compared
/// must not depend on how a number was typed (20, 020, 2e1). An unknown name is an error that lists the known
/// ones; whether a value is allowed is for the mechanism to say.
Result<ParameterValues> complete_parameters(const MechanismInfo& info, const ParameterValues& given);

/// What a mechanism may use beside its parameters; none of it changes the output.
struct MechanismResources {
  std::uint64_t memory = 512ULL << 20;  ///< bytes for tables and caches
  unsigned threads = 0;                 ///< for preparing; 0: one for each processor
};

/// Builds a mechanism. It keeps the model alive.
Result<std::unique_ptr<Mechanism>> make_mechanism(std::string_view name, std::shared_ptr<const Model> model,
                                                  double epsilon, const ParameterValues& parameters,
                                                  const MechanismResources& resources = {});

}  // namespace sotto
