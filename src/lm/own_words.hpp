// How far a draw's wander lowers the scores of the word that stands in the original and of its inflections.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lm/architectures.hpp"
#include "lm/checkpoint_files.hpp"

namespace sotto::lm {

/// The tensors own_penalty and word_group of sotto-bounded-mlm, checked. Empty in format version 1.
class OwnWords {
 public:
  /// Throws Failure.
  OwnWords(const CheckpointFiles& files, const BoundedSizes& sizes);

  /// The penalty of each output word, interpolated between the knots.
  std::vector<float> penalties(double wander) const;
  /// Of each output word; inflections of one lemma share theirs.
  std::span<const std::int32_t> groups() const { return groups_; }

 private:
  std::vector<double> knots_;
  std::vector<float> penalties_;  // a row per knot
  std::vector<std::int32_t> groups_;
};

}  // namespace sotto::lm
