// Pointwise mutual information from counts, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>

#include "collocation/ngrams.hpp"

namespace sotto {

/// Binary digits after the point of log2_fixed.
inline constexpr int kLogDigits = 40;

/// log₂ of `value`, which is not 0, in units of 2⁻⁴⁰: off by less than two units. Made with integers only, so
/// that no library's logarithm decides on which side of a rounding a score falls.
std::int64_t log2_fixed(std::uint64_t value);

/// Scores n-grams by equations 5 and 6 in units of 2⁻¹⁶. A score differs from the exact value by half a unit
/// and at most 2⁻³⁶.
class PmiScorer {
 public:
  /// `total` is N, all words.
  PmiScorer(const RankedWords& words, std::uint64_t total);

  std::int32_t pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) const;
  std::int32_t triple(std::uint32_t first, std::uint32_t second, std::uint32_t third,
                      std::uint64_t count) const;

 private:
  std::int64_t log_count(std::uint64_t count) const {
    return count < small_.size() ? small_[count] : log2_fixed(count);
  }
  std::int64_t log_word(std::uint32_t rank) const { return log_count(words_.counts[rank]); }

  RankedWords words_;
  std::int64_t log_total_;
  std::vector<std::int64_t> small_;  // of the first numbers
};

/// The words that make a phrase a construction rather than a collocation: articles, prepositions,
/// conjunctions.
bool is_connector(std::string_view word);

/// Whether the rule allows two or three words of which these are connectors.
bool allows(ConnectorRule rule, bool first, bool second);
bool allows(ConnectorRule rule, bool first, bool second, bool third);

}  // namespace sotto
