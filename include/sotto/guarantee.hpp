// What a mechanism promises, as data. Receipts and composition read it and never derive ε again.
#pragma once

#include <string>
#include <vector>

namespace sotto {

/// How far the promise has been established.
enum class GuaranteeKind {
  certified,  ///< computed with outward rounding from the integer tables that are sampled
  analytic,   ///< proved on paper under the stated assumptions
  none,       ///< no differential-privacy promise
};

/// Between which inputs and for which outputs the promise holds.
enum class GuaranteeScope {
  all_inputs,         ///< every pair of inputs, every output
  group,              ///< only inputs of one public group; the group is revealed
  sensitive_outputs,  ///< only outputs in the sensitive set
};

/// What ε multiplies. Amounts in different units never add up.
struct PrivacyUnit {
  std::string
      metric;  ///< empty: pure ε. Otherwise the named metric d of ε·d, for example "list index distance"
  std::string model;  ///< SHA-256 of the model or list set that defines the metric; empty for pure ε

  bool is_pure() const { return metric.empty(); }
  bool operator==(const PrivacyUnit&) const = default;
};

/// A guarantee for one token.
struct Guarantee {
  GuaranteeKind kind = GuaranteeKind::none;
  PrivacyUnit unit;
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  double epsilon = 0;  ///< per token, in `unit`; meaningless for kind none
  /// ρ of zero-concentrated differential privacy for one token, times d² in a metric unit, where it is better
  /// than ε²/2: ε²/8 for exponential mechanisms, whose loss has a range of ε as the output varies. 0: none.
  double rho = 0;
  std::vector<std::string> assumptions;  ///< what the proof takes for granted
  std::string statement;                 ///< one sentence for a person
};

const char* to_string(GuaranteeKind kind);
const char* to_string(GuaranteeScope scope);

}  // namespace sotto
