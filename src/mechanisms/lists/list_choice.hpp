// Which lists of a list set a one-dimensional mechanism uses, and the place of each word in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::mechanism {

/// The parameter `lists`, shared by the mechanisms that work on word lists.
ParameterInfo lists_parameter();

/// The chosen lists of a model. Each contains the whole vocabulary, so every word has a place in it.
class ListChoice {
 public:
  /// L0: the first list of each source model; L1: the first two of each; L2: the first list of the first
  /// model.
  static Result<ListChoice> make(std::shared_ptr<const Model> model, std::string_view lists);

  std::uint32_t size() const { return static_cast<std::uint32_t>(orders_.size()); }
  std::uint32_t words() const { return words_; }
  /// The place of `word` in list `list`; ⊥ is in the middle.
  std::uint32_t place(std::uint32_t list, TokenId word) const {
    return places_[list * (words_ + 1ULL) + word];
  }
  /// All places, list by list.
  std::span<const std::uint32_t> places() const { return places_; }
  /// The largest distance between two inputs over the lists.
  std::uint32_t distance(TokenId a, TokenId b) const {
    std::uint32_t largest = 0;
    for (std::uint32_t list = 0; list < size(); ++list) {
      const std::uint32_t first = place(list, a);
      const std::uint32_t second = place(list, b);
      largest = std::max(largest, first > second ? first - second : second - first);
    }
    return largest;
  }
  TokenId word_at(std::uint32_t list, std::uint32_t place) const { return orders_[list][place]; }
  const Model& model() const { return *model_; }
  /// The lists in words, by the models they were built from: "the lists of sotto-en-cbow and
  /// sotto-en-wordnet".
  std::string names() const;

 private:
  ListChoice() = default;
  std::shared_ptr<const Model> model_;
  std::vector<std::span<const TokenId>> orders_;
  std::vector<std::string> sources_;  // of the lists
  std::vector<std::uint32_t> places_;
  std::uint32_t words_ = 0;
};

}  // namespace sotto::mechanism
