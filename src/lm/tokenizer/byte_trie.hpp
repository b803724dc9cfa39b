// Finds which of many strings start at a position of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lm/tokenizer/flat_map.hpp"

namespace sotto::lm {

/// A trie over bytes. Reading is thread-safe.
class ByteTrie {
 public:
  /// Overwrites the value of an existing string. `value` is below 2^32 − 1.
  void insert(std::string_view key, std::uint32_t value) {
    std::uint32_t node = 0;
    for (const char c : key) {
      const std::uint64_t edge = edge_of(node, c);
      if (const std::uint32_t* next = edges_.find(edge)) {
        node = *next;
        continue;
      }
      node = static_cast<std::uint32_t>(values_.size());
      edges_.assign(edge, node);
      values_.push_back(kNone);
    }
    values_[node] = value;
  }

  /// Calls visit(length, value) for every string that is a prefix of `text`, shortest first.
  template <class Visit>
  void prefixes(std::string_view text, const Visit& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t* next = edges_.find(edge_of(node, text[i]));
      if (next == nullptr) return;
      node = *next;
      if (values_[node] != kNone) visit(i + 1, values_[node]);
    }
  }

  struct Match {
    std::size_t length;
    std::uint32_t value;
  };

  /// The longest string that is a prefix of `text`.
  std::optional<Match> longest(std::string_view text) const {
    std::optional<Match> best;
    prefixes(text, [&best](std::size_t length, std::uint32_t value) { best = Match{length, value}; });
    return best;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  static std::uint64_t edge_of(std::uint32_t node, char c) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(c);
  }

  FlatMap<std::uint32_t> edges_;
  std::vector<std::uint32_t> values_ = {kNone};  // one per node
};

}  // namespace sotto::lm
