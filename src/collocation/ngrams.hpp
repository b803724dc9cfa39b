// Types passed between the parts of the counter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sotto::collocation {

/// Distinct words in byte order with their counts. A word's index is its rank; n-grams are ordered by their
/// ranks, compared lexicographically.
struct RankedWords {
  std::string_view pool;
  std::span<const std::uint64_t> offsets;  ///< one more than the number of words
  std::span<const std::uint64_t> counts;

  std::uint32_t size() const { return static_cast<std::uint32_t>(counts.size()); }
  std::string_view word(std::uint32_t rank) const {
    return {pool.data() + offsets[rank], offsets[rank + 1] - offsets[rank]};
  }
};

/// Receives n-grams in ascending order: each pair, then the triples that begin with it.
class NgramSink {
 public:
  virtual ~NgramSink() = default;
  virtual void pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) = 0;
  /// A triple that begins with the last pair passed.
  virtual void triple(std::uint32_t third, std::uint64_t count) = 0;
};

}  // namespace sotto::collocation
