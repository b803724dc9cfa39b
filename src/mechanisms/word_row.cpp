#include "mechanisms/word_row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <sotto/collocations.hpp>

#include "mechanisms/expected_distinct.hpp"
#include "random/bit_sources.hpp"

namespace sotto::mechanism {
namespace {

constexpr std::uint64_t kDraws = 100;
constexpr double kMass = 0.95;

double standard_error(double frequency, std::uint64_t draws) {
  return draws == 0 ? 0 : std::sqrt(frequency * (1 - frequency) / static_cast<double>(draws));
}

}  // namespace

std::vector<std::uint64_t> sampled_counts(const Mechanism& mechanism, TokenId word, std::size_t outputs,
                                          std::uint64_t draws) {
  constexpr std::uint64_t kBatch = 1024;
  random::OsBitSource bits;
  std::vector<std::uint64_t> counts(outputs, 0);
  std::vector<TokenId> ids;
  for (std::uint64_t left = draws; left > 0; left -= ids.size()) {
    ids.assign(std::min(left, kBatch), word);
    mechanism.privatize(ids, ids, bits);
    for (const TokenId id : ids) ++counts[id];
  }
  return counts;
}

WordRow word_row(const Mechanism& mechanism, TokenId word, std::size_t outputs, std::uint64_t draws) {
  WordRow row{mechanism.row(word), 0};
  if (!row.probabilities.empty()) return row;
  row.draws = draws;
  for (const std::uint64_t count : sampled_counts(mechanism, word, outputs, draws))
    row.probabilities.push_back(draws == 0 ? 0 : static_cast<double>(count) / static_cast<double>(draws));
  return row;
}

TokenId find_word_or_phrase(const Model& model, std::string_view word) {
  const TokenId id = model.find(word);
  if (id != model.bottom() || word.find(' ') == std::string_view::npos) return id;
  std::string joined(word);
  std::replace(joined.begin(), joined.end(), ' ', kPhraseJoint);
  return model.find(joined);
}

void describe_row(const WordRow& row, const std::function<std::string_view(std::uint32_t)>& spelled,
                  std::optional<std::uint32_t> self, std::size_t top, Explanation& explanation) {
  const std::vector<double>& p = row.probabilities;
  std::vector<std::uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return p[a] > p[b]; });
  explanation.draws = row.draws;
  for (std::size_t i = 0; i < std::min(top, order.size()); ++i)
    explanation.top.push_back(
        {std::string(spelled(order[i])), p[order[i]], standard_error(p[order[i]], row.draws)});
  explanation.stays = self ? p[*self] : 0;
  explanation.distinct_in_100 = expected_distinct(p, kDraws);
  double mass = 0;
  for (const std::uint32_t output : order) {
    if (mass >= kMass) break;
    mass += p[output];
    ++explanation.words_for_95_percent;
  }
}

}  // namespace sotto::mechanism
