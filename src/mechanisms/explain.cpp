#include <algorithm>
#include <cmath>
#include <numeric>

#include <sotto/collocations.hpp>
#include <sotto/explain.hpp>

#include "mechanisms/expected_distinct.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
using namespace mechanism;
namespace {

constexpr std::uint64_t kDraws = 100;
constexpr double kMass = 0.95;

double standard_error(double frequency, std::uint64_t draws) {
  return draws == 0 ? 0 : std::sqrt(frequency * (1 - frequency) / static_cast<double>(draws));
}

/// The frequencies of `draws` outputs. The draws belong to no document and are not released as one.
std::vector<double> sampled_row(const Mechanism& mechanism, TokenId word, std::size_t words,
                                std::uint64_t draws) {
  constexpr std::uint64_t kBatch = 1024;
  random::OsBitSource bits;
  std::vector<double> row(words, 0);
  std::vector<TokenId> ids;
  for (std::uint64_t left = draws; left > 0; left -= ids.size()) {
    ids.assign(std::min(left, kBatch), word);
    mechanism.privatize(ids, ids, bits);
    for (const TokenId id : ids) row[id] += 1 / static_cast<double>(draws);
  }
  return row;
}

/// Accepts a phrase as it is read: "new york" for "new_york".
TokenId find_word(const Model& model, std::string_view word) {
  const TokenId id = model.find(word);
  if (id != model.bottom() || word.find(' ') == std::string_view::npos) return id;
  std::string joined(word);
  std::replace(joined.begin(), joined.end(), ' ', kPhraseJoint);
  return model.find(joined);
}

}  // namespace

Result<Explanation> explain(std::string_view word, const ExplainOptions& options) {
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  return explain(word, open, options);
}

Result<Explanation> explain(std::string_view word, const OpenMechanism& open, const ExplainOptions& options) {
  const Model& model = *open.model;
  const TokenId id = find_word(model, word);
  std::vector<double> row = open.mechanism->row(id);
  Explanation explanation;
  if (row.empty()) {
    explanation.draws = options.draws;
    row = sampled_row(*open.mechanism, id, model.size(), options.draws);
  }
  std::vector<TokenId> order(row.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return row[a] > row[b]; });

  explanation.word = word;
  explanation.in_vocabulary = id != model.bottom();
  explanation.model = model.name();
  for (std::size_t i = 0; i < std::min(options.top, order.size()); ++i)
    explanation.top.push_back(
        {std::string(model.word(order[i])), row[order[i]], standard_error(row[order[i]], explanation.draws)});
  explanation.stays = explanation.in_vocabulary ? row[id] : 0;
  explanation.distinct_in_100 = expected_distinct(row, kDraws);
  double mass = 0;
  for (const TokenId output : order) {
    if (mass >= kMass) break;
    mass += row[output];
    ++explanation.words_for_95_percent;
  }
  explanation.guarantee = open.mechanism->guarantee();
  return explanation;
}

}  // namespace sotto
