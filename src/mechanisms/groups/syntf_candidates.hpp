// The words that SynTF may use as replacements, and how well each fits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "text/wordnet.hpp"

namespace sotto::mechanism {

struct RatedWord {
  TokenId word;
  double rating;  ///< ρ, in [0, 1]
};

/// For every word of a model, the words that share a synset with it, including itself, by ascending id.
class RatedSynonyms {
 public:
  std::span<const RatedWord> of(TokenId word) const {
    return std::span(entries_).subspan(begins_[word], begins_[word + 1] - begins_[word]);
  }
  std::size_t size() const { return entries_.size(); }

  /// Rated by the senses two words have in common: |S(x) ∩ S(y)| / |S(x) ∪ S(y)|, where S are the synsets of
  /// a word; a word itself has 1. Only words of the model are synonyms; a multi-word entry of a synset is one
  /// if the model has it joined with '_'.
  static Result<RatedSynonyms> find(const Model& model, const text::WordNet& net);

  /// Overrides each word y's rating with ratings[y], whatever it is a synonym of.
  void rate(std::span<const double> ratings);

 private:
  std::vector<std::size_t> begins_ = {0};
  std::vector<RatedWord> entries_;
};

/// The tf-idf of each word in the public corpus behind the counts, from 0 to 1: −p·ln p for a word with share
/// p of all occurrences, divided by the largest. Identical on every processor.
std::vector<double> tf_idf_ratings(std::span<const std::uint64_t> counts);

}  // namespace sotto::mechanism
