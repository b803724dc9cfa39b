// The nearest words of each input word, computed on first use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/noise/noise.hpp"

namespace sotto::mechanism {

struct GumbelCandidate {
  float weight;  ///< exp(−d/b) for its distance d from the input; 32 bits, as memory access dominates
  TokenId word;
};

/// For each input, the `length` nearest words, nearest first; a word always comes first in its own list, even
/// if other words have the same vector. Thread-safe.
class GumbelLists {
 public:
  /// The number of lists that may still be kept, shared by the mechanisms of all ε.
  using Room = std::atomic<std::int64_t>;

  /// `space` must outlive the lists.
  GumbelLists(const NoiseSpace& space, std::size_t length, double scale, std::shared_ptr<Room> room);
  ~GumbelLists();
  GumbelLists(const GumbelLists&) = delete;
  GumbelLists& operator=(const GumbelLists&) = delete;

  std::size_t length() const { return length_; }

  /// Lists that did not fit into memory.
  using Extra = std::map<TokenId, std::vector<GumbelCandidate>>;

  /// Computes the missing lists of `inputs` in one search, and puts those that do not fit into `extra`.
  void prepare(std::span<const TokenId> inputs, Extra& extra) const;

  /// The list of a prepared input, valid as long as this object and `extra`.
  const GumbelCandidate* find(TokenId input, const Extra& extra) const {
    const GumbelCandidate* list = lists_[input].load(std::memory_order_acquire);
    return list != nullptr ? list : extra.at(input).data();
  }

 private:
  std::vector<TokenId> missing(std::span<const TokenId> inputs) const;
  std::vector<GumbelCandidate> make_list(TokenId input, std::span<const embed::Neighbour> nearest) const;
  void keep(TokenId input, std::vector<GumbelCandidate> list, Extra& extra) const;

  const NoiseSpace& space_;
  std::size_t length_;
  double scale_;
  std::shared_ptr<Room> room_;
  mutable std::vector<std::atomic<const GumbelCandidate*>> lists_;
};

}  // namespace sotto::mechanism
