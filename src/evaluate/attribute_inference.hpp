// Attribute inference: how well a classifier finds an author's attribute, such as gender or identity, in
// privatized text.
#pragma once

#include <string>

#include "evaluate/repeated_runs.hpp"

namespace sotto {

struct AttributeInference {
  Scores majority;             ///< of guessing the majority class of the training part: what needs no text
  RepeatedScores unprotected;  ///< trained and tested on original text: the upper bound
  RepeatedScores static_attacker;    ///< trained on original text, tested on privatized text
  RepeatedScores adaptive_attacker;  ///< trained and tested on privatized text
};

/// Attacks with `options.classifier`. `original` and `privatized` hold the same texts before and after, in
/// the same order and with the same labels (the attribute); what differs is refused. Classification only.
/// Thread-safe.
Result<AttributeInference> infer_attribute(const TaskData& original, const TaskData& privatized,
                                           const RunOptions& options);

}  // namespace sotto
