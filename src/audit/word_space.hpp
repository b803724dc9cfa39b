// Distances between the words of a model, as somebody sees them who reads or attacks its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "embed/nearest.hpp"

namespace sotto {

/// The Euclidean distance; in a model without vectors the least of the distances in its lists, because a word
/// that is near in one list may have become the other there. (A promise speaks of the largest instead.)
/// Refers to the model, which must outlive it. Safe to share between threads.
class WordSpace {
 public:
  static Result<WordSpace> make(const Model& model);

  std::string metric() const;
  double distance(TokenId a, TokenId b) const;
  /// out[i] is the distance of `word` and word i.
  void distances(TokenId word, std::span<double> out) const;

  struct Near {
    std::uint32_t place;  ///< in the words searched
    double distance;
  };

  /// For every word of the model the min(k, words.size()) nearest of `words`, which ascend, one after the
  /// other; nearest first, ties by id.
  Result<std::vector<Near>> nearest_among(std::span<const TokenId> words, std::size_t k,
                                          unsigned threads) const;

 private:
  explicit WordSpace(const Model& model) : model_(&model) {}
  std::vector<Near> nearest_in_lists(std::span<const TokenId> words, std::size_t k, unsigned threads) const;

  const Model* model_;
  std::optional<NearestSearch> search_;             ///< where there are vectors
  std::vector<std::vector<std::uint32_t>> places_;  ///< by list and word, where there are none
};

}  // namespace sotto
