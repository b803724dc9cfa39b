// Checks what single draws cannot show: the same noise in two runs, and tokens that depend on each other.
#pragma once

#include <vector>

#include "audit/falsify/event.hpp"

namespace sotto::audit {

struct IndependenceOptions {
  AuditInput input;             ///< the document repeats this word; its outputs should vary
  std::uint64_t runs = 0;       ///< at least 2
  std::uint64_t first_run = 0;  ///< the runs are numbered from here on
  double alpha = 0;             ///< for all checks together
};

/// `sample` holds outputs of the input drawn before, in drawing order.
///
/// Repeated outputs: agreements of disjoint pairs in `sample` bound the probability c that two tokens agree;
/// documents are made so long that, over all pairs of runs together, an agreement of whole documents has at
/// most the probability alpha/6. A single one refutes.
/// Agreement at a distance: tokens a given distance apart in one document agree as often as tokens of
/// different runs.
/// Joint event: two adjacent outputs that co-occurred most often beyond chance in one half of the runs,
/// tested on the other.
Result<std::vector<IndependenceFinding>> check_independence(Target& target,
                                                            const IndependenceOptions& options,
                                                            std::span<const OutputId> sample);

}  // namespace sotto::audit
