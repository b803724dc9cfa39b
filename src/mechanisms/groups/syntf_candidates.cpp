#include "mechanisms/groups/syntf_candidates.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "random/mpfr_real.hpp"
#include "text/letter_case.hpp"

namespace sotto::mechanism {
namespace {

using Senses = std::vector<std::vector<text::Synset>>;

/// The words of the model in each synset; reads each synset once.
class SynsetWords {
 public:
  SynsetWords(const Model& model, const text::WordNet& net) : model_(model), net_(net) {}

  Result<const std::vector<TokenId>*> operator()(text::Synset synset) {
    const auto [entry, is_new] = known_.try_emplace(key(synset));
    if (is_new) {
      SOTTO_ASSIGN(const auto words, net_.words(synset));
      for (const std::string_view word : words)
        if (const TokenId id = model_.find(word); id != model_.bottom()) entry->second.push_back(id);
    }
    return &entry->second;
  }

 private:
  static std::uint64_t key(text::Synset synset) {
    return std::uint64_t{synset.offset} << 2 | static_cast<std::uint64_t>(synset.part);
  }

  const Model& model_;
  const text::WordNet& net_;
  std::unordered_map<std::uint64_t, std::vector<TokenId>> known_;
};

double shared_senses(const std::vector<text::Synset>& a, const std::vector<text::Synset>& b) {
  std::vector<text::Synset> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  return static_cast<double>(both.size()) / static_cast<double>(either);
}

}  // namespace

Result<RatedSynonyms> RatedSynonyms::find(const Model& model, const text::WordNet& net) {
  Senses senses(model.size());
  for (TokenId word = 0; word < model.size(); ++word)
    senses[word] = net.synsets(text::to_lower(model.word(word)));
  SynsetWords synset_words(model, net);
  RatedSynonyms synonyms;
  std::vector<TokenId> found;
  for (TokenId word = 0; word < model.size(); ++word) {
    found.assign(1, word);
    for (const text::Synset& synset : senses[word]) {
      SOTTO_ASSIGN(const auto* words, synset_words(synset));
      found.insert(found.end(), words->begin(), words->end());
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const TokenId other : found)
      synonyms.entries_.push_back({other, other == word ? 1 : shared_senses(senses[word], senses[other])});
    synonyms.begins_.push_back(synonyms.entries_.size());
  }
  return synonyms;
}

void RatedSynonyms::rate(std::span<const double> ratings) {
  for (RatedWord& entry : entries_) entry.rating = ratings[entry.word];
}

std::vector<double> tf_idf_ratings(std::span<const std::uint64_t> counts) {
  const random::MpfrCleanup cleanup;
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<double> ratings;
  ratings.reserve(counts.size());
  random::MpfrReal share;
  random::MpfrReal value;
  for (const std::uint64_t count : counts) {
    if (count == 0) {
      ratings.push_back(0);
      continue;
    }
    mpfr_set_uj(share, count, MPFR_RNDN);
    mpfr_div_ui(share, share, total, MPFR_RNDN);
    mpfr_log(value, share, MPFR_RNDN);
    mpfr_mul(value, value, share, MPFR_RNDN);
    ratings.push_back(-mpfr_get_d(value, MPFR_RNDN));
  }
  const double largest = *std::max_element(ratings.begin(), ratings.end());
  if (largest > 0)
    for (double& rating : ratings) rating /= largest;
  return ratings;
}

}  // namespace sotto::mechanism
