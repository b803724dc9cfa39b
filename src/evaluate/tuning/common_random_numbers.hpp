// Outputs of several mechanisms for the same words. Mechanisms that add the same noise share it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/mechanism.hpp>

#include "evaluate/tuning/output_tally.hpp"

namespace sotto::evaluate {

/// A mechanism and a name that distinguishes it from others at the same ε.
struct NamedMechanism {
  const Mechanism* mechanism;
  std::string name;
};

struct SharedDrawOptions {
  std::uint64_t draws = 100;          ///< per word
  std::optional<std::uint64_t> seed;  ///< empty: fresh randomness
  unsigned threads = 0;               ///< 0: one per processor
  /// Receives how many more words have their outputs; an error stops the drawing.
  std::function<Result<void>(std::size_t words)> progress;
};

/// Mechanisms that are drawn together: indices into the argument of group_by_noise.
using DrawGroup = std::vector<std::size_t>;

/// cmp, vickrey and vickrey-k at one ε form one group: one noisy vector and one search serve all of them, and
/// each chooses among the words found. Every other mechanism is a group by itself.
std::vector<DrawGroup> group_by_noise(std::span<const NamedMechanism> mechanisms);

/// `draws` outputs of each of `words` (of one model) from each mechanism of one group, in its order; each
/// follows its mechanism's law. The noise of a word depends on seed, ε, the word's index, and the name if the
/// group is a single mechanism that cannot share; not on threads, nor on who shares it.
Result<std::vector<OutputTally>> draw_outputs(std::span<const TokenId> words,
                                              std::span<const NamedMechanism> group,
                                              const SharedDrawOptions& options);

}  // namespace sotto::evaluate
