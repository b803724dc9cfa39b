// What passes between the parts of the counter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sotto {

/// Distinct words in byte order with their counts. A word's index is its rank; an n-gram's ranks, compared
/// one by one, give its place among all n-grams.
struct RankedWords {
  std::string_view pool;
  std::span<const std::uint64_t> offsets;  ///< one more than there are words
  std::span<const std::uint64_t> counts;

  std::uint32_t size() const { return static_cast<std::uint32_t>(counts.size()); }
  std::string_view word(std::uint32_t rank) const {
    return {pool.data() + offsets[rank], offsets[rank + 1] - offsets[rank]};
  }
};

/// Takes n-grams in ascending order: each pair, then the triples that it begins.
class NgramSink {
 public:
  virtual ~NgramSink() = default;
  virtual void pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) = 0;
  /// Of the pair passed last.
  virtual void triple(std::uint32_t third, std::uint64_t count) = 0;
};

}  // namespace sotto
