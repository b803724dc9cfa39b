// Distances between the words of a model, as seen by someone who reads or attacks its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "embed/nearest.hpp"

namespace sotto::audit {

/// The Euclidean distance; in a model without vectors the smallest distance in any of its lists, because a
/// word that is near in one list may have become the other there. (A guarantee uses the largest instead.)
/// Refers to the model, which must outlive it. Safe to share between threads.
class WordSpace {
 public:
  static Result<WordSpace> make(const Model& model);

  std::string metric() const;
  double distance(TokenId a, TokenId b) const;
  /// out[i] is the distance between `word` and word i.
  void distances(TokenId word, std::span<double> out) const;

  struct Near {
    std::uint32_t place;  ///< index into the words searched
    double distance;
  };

  /// For every word of the model in turn, the min(k, words.size()) nearest of `words`, which are ascending;
  /// nearest first, ties by id.
  Result<std::vector<Near>> nearest_among(std::span<const TokenId> words, std::size_t k,
                                          unsigned threads) const;

 private:
  explicit WordSpace(const Model& model) : model_(&model) {}
  std::vector<Near> nearest_in_lists(std::span<const TokenId> words, std::size_t k, unsigned threads) const;

  const Model* model_;
  std::optional<embed::NearestSearch> search_;      ///< if there are vectors
  std::vector<std::vector<std::uint32_t>> places_;  ///< by list and word, if there are none
};

}  // namespace sotto::audit
