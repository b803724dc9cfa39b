// Attribute inference: how well a classifier infers an author's attribute, such as gender or identity, from
// privatized text.
#pragma once

#include <string>

#include "evaluate/repeated_runs.hpp"

namespace sotto {

struct AttributeInference {
  Scores majority;                   ///< of guessing the training part's majority class, which needs no text
  RepeatedScores unprotected;        ///< trained and tested on original text: the upper bound
  RepeatedScores static_attacker;    ///< trained on original text, tested on privatized text
  RepeatedScores adaptive_attacker;  ///< trained and tested on privatized text
};

/// Attacks with `options.classifier`. `original` and `privatized` hold the same texts before and after, in
/// the same order and with the same labels (the attribute); any mismatch is rejected. Classification only.
/// Thread-safe.
Result<AttributeInference> infer_attribute(const TaskData& original, const TaskData& privatized,
                                           const RunOptions& options);

}  // namespace sotto
