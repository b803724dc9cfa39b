// What SynTF may replace a word by, and how well it fits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "text/wordnet.hpp"

namespace sotto {

struct RatedWord {
  TokenId word;
  double rating;  ///< ρ, in [0, 1]
};

/// For every word of a model the words that share a synset with it, itself among them, by ascending id.
class RatedSynonyms {
 public:
  std::span<const RatedWord> of(TokenId word) const {
    return std::span(entries_).subspan(begins_[word], begins_[word + 1] - begins_[word]);
  }
  std::size_t size() const { return entries_.size(); }

  /// Rated by the senses two words have in common: |S(x) ∩ S(y)| / |S(x) ∪ S(y)|, S the synsets of a word; a
  /// word itself has 1. Only words of the model are synonyms; a synset's word of several parts is one when
  /// the model has it with '_'.
  static Result<RatedSynonyms> find(const Model& model, const WordNet& net);

  /// Gives each word y the rating ratings[y] instead, whatever it is a synonym of.
  void rate(std::span<const double> ratings);

 private:
  std::vector<std::size_t> begins_ = {0};
  std::vector<RatedWord> entries_;
};

/// The tf-idf of each word in the public corpus behind the counts, from 0 to 1: −p·ln p for a word with the
/// share p of all occurrences, divided by the largest. The same on every processor.
std::vector<double> tf_idf_ratings(std::span<const std::uint64_t> counts);

}  // namespace sotto
