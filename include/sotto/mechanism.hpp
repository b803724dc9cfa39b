// Mechanisms: a row of a stochastic matrix for each input word, and the registry of their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Tokens whose randomness is drawn and whose outputs are still to be determined. A token's bits come from
/// its document's stream and can wait. A mechanism that is faster on many tokens at once (one matrix product
/// for all of them) can therefore batch several documents, and the output does not depend on the batches. Not
/// thread-safe: one thread at a time per object.
class SOTTO_API PendingTokens {
 public:
  virtual ~PendingTokens() = default;

  /// Draws all randomness of these tokens (⊥ allowed), in order.
  virtual void add(std::span<const TokenId> in, BitSource& bits) = 0;

  /// The outputs of all tokens added since the last call, in the order of addition; the batch is then empty
  /// again. `out` must have exactly their number of elements. Outputs are words, never ⊥.
  virtual void resolve(std::span<TokenId> out) = 0;
};

/// A word-level mechanism bound to a model, parameters and ε. Safe to use from several threads.
class SOTTO_API Mechanism {
 public:
  virtual ~Mechanism() = default;

  /// An empty batch. It refers to the mechanism, which must outlive it.
  virtual std::unique_ptr<PendingTokens> make_pending() const = 0;

  /// How many tokens a batch should hold before it is resolved; 1 if batching has no benefit.
  virtual std::size_t good_batch() const { return 1; }

  /// The promise for one token.
  virtual Guarantee guarantee() const = 0;

  /// The distance d of two inputs (⊥ allowed) in guarantee().unit: the promise is that the log-probabilities
  /// of each output differ by at most ε·d. 0 for equal inputs, 1 for pure ε, infinite where nothing is
  /// promised. Symmetric.
  virtual double distance(TokenId a, TokenId b) const;

  /// Whether the promise includes this output. False for some outputs only if the scope is sensitive_outputs.
  virtual bool covers(TokenId output) const;

  /// SHA-256, in hex, of what determines the output besides model and parameters, such as a thesaurus; empty:
  /// nothing.
  virtual std::string data_digest() const { return {}; }

  /// The row P(·|word), one probability per word of the model; empty if there is no closed form.
  virtual std::vector<double> row(TokenId word) const = 0;

  /// The mean of all words' rows: the row of an input whose place is drawn uniformly. Empty if there is no
  /// closed form. Takes about as long as all rows together unless the mechanism knows a shorter way.
  virtual std::vector<double> mean_row() const;

  /// The column P(output|·), one probability per word of the model; empty if there is no closed form, or none
  /// in reasonable time: of many words, because it takes as long as all rows unless the mechanism knows a
  /// shorter way.
  virtual std::vector<double> column(TokenId output) const;

  /// Draws an output for each input id, in order: out[i] ~ P(·|in[i]). The spans have equal length and may be
  /// the same.
  void privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const;
};

/// How the values of a parameter are parsed, and hence which spellings are equivalent.
enum class ParameterKind {
  by_default,  ///< numbers if the default is a number, otherwise words
  words,       ///< compared literally
  numbers,     ///< a number, or several separated by commas; also words such as "auto"
};

struct ParameterInfo {
  std::string name;
  std::string default_value;
  std::string description;  ///< what it does and which values are allowed
  ParameterKind kind = ParameterKind::by_default;
};

/// How a mechanism sees a text, and hence which code rewrites it.
enum class MechanismKind {
  word_by_word,  ///< replaces each word by itself; the only kind with a Mechanism (see make_mechanism)
  masked,        ///< draws each word from a masked language model, which reads the whole text
  generated,     ///< a language model writes a new text, token by token
};

/// What people need to choose a mechanism; `guarantee` is in words, independent of ε and model.
struct MechanismInfo {
  std::string name;
  MechanismKind kind = MechanismKind::word_by_word;
  std::string summary;
  std::string metric;
  std::string guarantee;
  std::string speed;
  std::string use_when;
  std::string default_model;
  std::vector<ParameterInfo> parameters;
};

/// As JSON (docs/schemas/mechanism.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const MechanismInfo& info);

/// Same for several, as an array (docs/schemas/mechanisms.schema.json). Thread-safe.
SOTTO_API std::string to_json(std::span<const MechanismInfo> infos);

/// Parameters by name, as given. Complete ones (see complete_parameters) have one spelling per value.
using ParameterValues = std::map<std::string, std::string>;

/// All mechanisms, in the order in which people should read them. Thread-safe.
SOTTO_API const std::vector<MechanismInfo>& mechanisms();

/// The entry of this name, or an error that lists the existing names. Thread-safe.
SOTTO_API Result<const MechanismInfo*> find_mechanism(std::string_view name);

/// `given` completed with the defaults, every value in its canonical spelling: what is hashed, charged or
/// compared must not depend on how a number was typed (20, 020, 2e1). An unknown name is an error that lists
/// the known ones; the mechanism itself checks which values are allowed. Thread-safe.
SOTTO_API Result<ParameterValues> complete_parameters(const MechanismInfo& info,
                                                      const ParameterValues& given);

/// What a mechanism may use besides its parameters; none of it changes the output.
struct MechanismResources {
  std::uint64_t memory = 512ULL << 20;  ///< bytes for tables and caches
  unsigned threads = 0;                 ///< for preparation; 0: one per processor
};

/// Builds a mechanism, which must be word by word. It keeps the model alive. Thread-safe.
SOTTO_API Result<std::unique_ptr<Mechanism>> make_mechanism(std::string_view name,
                                                            std::shared_ptr<const Model> model,
                                                            double epsilon, const ParameterValues& parameters,
                                                            const MechanismResources& resources = {});

/// Names a mechanism, with all that is needed to build it.
struct MechanismSpec {
  std::string name = "diffractor-geometric";
  double epsilon = 0;                 ///< per token, in the unit of the mechanism's guarantee
  ParameterValues parameters = {};    ///< missing ones take their defaults
  std::string model = {};             ///< name or path; empty: the mechanism's default
  MechanismResources resources = {};  ///< affects speed only
};

/// The file of the model that `spec` names (see find_model in model.hpp); the mechanism must be word by word.
/// Thread-safe unless another thread changes the environment.
SOTTO_API Result<std::filesystem::path> find_model(const MechanismSpec& spec);

/// A mechanism ready for use, made by open_mechanism(); its members belong together, so do not change them.
/// Copies share the model and the mechanism. Safe to use from several threads.
struct OpenMechanism {
  MechanismSpec spec;  ///< as requested, with complete parameters
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Mechanism> mechanism;
};

/// Opens the model and builds the mechanism. A mechanism that rewrites whole texts is an error (see
/// find_word_mechanism). Thread-safe unless another thread changes the environment.
SOTTO_API Result<OpenMechanism> open_mechanism(const MechanismSpec& spec);

/// Same on a model that is already open; ignores `spec.model`. Thread-safe.
SOTTO_API Result<OpenMechanism> open_mechanism(const MechanismSpec& spec, std::shared_ptr<const Model> model);

}  // namespace sotto
