// What a mechanism promises, as data. Receipts and composition read it and never derive ε themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>

namespace sotto {

/// How firmly the promise is established.
enum class GuaranteeKind {
  certified,  ///< computed with outward rounding from the integer tables that are sampled
  analytic,   ///< proved on paper under the stated assumptions
  none,       ///< no differential-privacy promise
};

/// Between which inputs and for which outputs the promise holds.
enum class GuaranteeScope {
  all_inputs,         ///< every pair of inputs, every output
  group,              ///< only inputs of the same public group; the group is revealed
  sensitive_outputs,  ///< only outputs in the sensitive set
  privatized_words,   ///< only words that pass through the mechanism; a policy keeps or drops others
};

/// What two texts must share for a promise between them to hold. An observer may learn all of it.
enum class SharedTrait {
  token_classes,  ///< the sequence of words, numbers and punctuation
  punctuation,    ///< as written; the full stops of dotted abbreviations ("p.m.") belong to words
  whitespace,     ///< between tokens
  number_shapes,  ///< digit count and separators of each number
  segmentation,   ///< the number of tokens that words are joined into, and where
  word_count,     ///< the number of words in these tokens
  model_tokens,   ///< the number of language-model tokens in the text
  kept_words,     ///< the words that a policy keeps, and their positions
  dropped_words,  ///< the positions of the words that a policy drops
  kept_numbers,   ///< numbers as written
  letter_case,    ///< of each word: lower, capitalized or upper
};

/// What ε multiplies. Amounts in different units never add up.
struct PrivacyUnit {
  /// Empty: pure ε. Otherwise the name of the metric d in ε·d, for example "list index distance".
  std::string metric;
  std::string model;  ///< digest of the model or list set that defines the metric; empty for pure ε

  bool is_pure() const { return metric.empty(); }
  bool operator==(const PrivacyUnit&) const = default;
};

/// A guarantee for one token: the log-probabilities of any output differ by at most ε·d + additive.
struct Guarantee {
  GuaranteeKind kind = GuaranteeKind::none;
  PrivacyUnit unit = {};
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  double epsilon = 0;   ///< per token, in `unit`; meaningless for kind none
  double additive = 0;  ///< per token, whatever the distance; if above 0, there is no ρ
  /// What two texts must share, derived from mechanism and policy (document_guarantee.hpp). Empty if the
  /// guarantee is about a single token.
  std::vector<SharedTrait> adjacency = {};
  /// ρ of zero-concentrated differential privacy for one token, times d² in a metric unit, if it is better
  /// than ε²/2: ε²/8 for exponential mechanisms, whose loss has a range of ε as the output varies. 0: none.
  double rho = 0;
  std::vector<std::string> assumptions = {};  ///< what the proof takes for granted
  std::string statement;                      ///< one sentence for people
};

/// Thread-safe.
SOTTO_API const char* to_string(GuaranteeKind kind);
/// Thread-safe.
SOTTO_API const char* to_string(GuaranteeScope scope);
/// As spelled in receipts, for example "whitespace". Thread-safe.
SOTTO_API const char* to_string(SharedTrait trait);

/// A metric, or a sentence about one, for people: numbers of more than six significant digits are rounded up
/// to six, so that a promise never reads as more than it is. Units are identified by the exact text.
/// Thread-safe.
SOTTO_API std::string readable_metric(std::string_view text);

/// For example "token classes, punctuation and whitespace". Thread-safe.
SOTTO_API std::string join(const std::vector<SharedTrait>& traits);

}  // namespace sotto
