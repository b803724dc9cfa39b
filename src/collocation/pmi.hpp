// Pointwise mutual information from counts, identical on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>

#include "collocation/ngrams.hpp"

namespace sotto::collocation {

/// Binary digits of log2_fixed after the point.
inline constexpr int kLogDigits = 40;

/// log₂ of a nonzero `value` in units of 2⁻⁴⁰, with an error of less than two units. Uses only integers, so
/// that no library's logarithm decides which way a score is rounded.
std::int64_t log2_fixed(std::uint64_t value);

/// Scores n-grams by equations 5 and 6 in units of 2⁻¹⁶. A score differs from the exact value by at most half
/// a unit plus 2⁻³⁶.
class PmiScorer {
 public:
  /// `total` is N, the number of all words.
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
  std::vector<std::int64_t> small_;  // of small numbers
};

/// Words that make a phrase a construction rather than a collocation: articles, prepositions, conjunctions.
bool is_connector(std::string_view word);

/// Whether the rule allows two or three words, given which of them are connectors.
bool allows(ConnectorRule rule, bool first, bool second);
bool allows(ConnectorRule rule, bool first, bool second, bool third);

}  // namespace sotto::collocation
