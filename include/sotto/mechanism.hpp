// Mechanisms: a row of a stochastic matrix for each input word, and the registry that names them.
#pragma once

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

/// A word-level mechanism bound to a model, parameters and ε. Immutable, so safe to share between threads.
class Mechanism {
 public:
  virtual ~Mechanism() = default;

  /// Draws an output for each input id (⊥ included) in order: out[i] ~ P(·|in[i]). Outputs are words, never
  /// ⊥. `in` and `out` have equal length and may be the same memory.
  virtual void privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const = 0;

  /// The promise for one token.
  virtual Guarantee guarantee() const = 0;

  /// The row P(·|word), one probability for each word of the model, or empty when there is no closed form.
  virtual std::vector<double> row(TokenId word) const = 0;
};

struct ParameterInfo {
  std::string name;
  std::string default_value;
  std::string description;  ///< what it does and which values are allowed
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

/// Parameters by name, as given with --set key=value.
using ParameterValues = std::map<std::string, std::string>;

/// Every mechanism, in the order in which a person should read them.
const std::vector<MechanismInfo>& mechanisms();

/// The entry of that name, or an error that lists the names there are.
Result<const MechanismInfo*> find_mechanism(std::string_view name);

/// `given` completed with the defaults; an unknown name is an error that lists the known ones.
Result<ParameterValues> complete_parameters(const MechanismInfo& info, const ParameterValues& given);

/// Builds a mechanism. It keeps the model alive.
Result<std::unique_ptr<Mechanism>> make_mechanism(std::string_view name, std::shared_ptr<const Model> model,
                                                  double epsilon, const ParameterValues& parameters);

}  // namespace sotto
