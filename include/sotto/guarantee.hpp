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
  privatized_words,   ///< only words that go through the mechanism; a policy keeps or drops others
};

/// What two texts must share for a promise between them. An observer may learn all of it.
enum class SharedTrait {
  token_classes,  ///< the sequence of words, numbers and punctuation
  punctuation,    ///< as written
  whitespace,     ///< between tokens
  number_shapes,  ///< digit count and separators of each number
  segmentation,   ///< how many tokens the words are put together to, and where
  word_count,     ///< of the words in these tokens
  model_tokens,   ///< how many tokens of the language model the text has
  kept_words,     ///< the words that a policy keeps, and where they stand
  dropped_words,  ///< where the words stand that a policy drops
  kept_numbers,   ///< numbers as written
  letter_case,    ///< lower, capitalized or upper, of each word
};

/// What ε multiplies. Amounts in different units never add up.
struct PrivacyUnit {
  std::string
      metric;  ///< empty: pure ε. Otherwise the named metric d of ε·d, for example "list index distance"
  std::string model;  ///< digest of the model or list set that defines the metric; empty for pure ε

  bool is_pure() const { return metric.empty(); }
  bool operator==(const PrivacyUnit&) const = default;
};

/// A guarantee for one token: the logarithms of the probabilities of an output differ by at most ε·d +
/// additive.
struct Guarantee {
  GuaranteeKind kind = GuaranteeKind::none;
  PrivacyUnit unit = {};
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  double epsilon = 0;   ///< per token, in `unit`; meaningless for kind none
  double additive = 0;  ///< per token, whatever the distance; then there is no ρ
  /// What two texts must share, derived from mechanism and policy (document_guarantee.hpp). Empty where the
  /// guarantee speaks of a token by itself.
  std::vector<SharedTrait> adjacency = {};
  /// ρ of zero-concentrated differential privacy for one token, times d² in a metric unit, where it is better
  /// than ε²/2: ε²/8 for exponential mechanisms, whose loss has a range of ε as the output varies. 0: none.
  double rho = 0;
  std::vector<std::string> assumptions = {};  ///< what the proof takes for granted
  std::string statement;                      ///< one sentence for a person
};

const char* to_string(GuaranteeKind kind);
const char* to_string(GuaranteeScope scope);
/// As receipts spell it, for example "whitespace".
const char* to_string(SharedTrait trait);

/// "token classes, punctuation and whitespace".
std::string join(const std::vector<SharedTrait>& traits);

}  // namespace sotto
