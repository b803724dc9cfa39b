#include "mechanisms/word_row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mechanisms/expected_distinct.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::mechanism {
namespace {

constexpr std::uint64_t kDraws = 100;
constexpr double kMass = 0.95;

double standard_error(double frequency, std::uint64_t draws) {
  return draws == 0 ? 0 : std::sqrt(frequency * (1 - frequency) / static_cast<double>(draws));
}

/// Replaces ⊙ by uniformly drawn words.
void draw_places(std::span<TokenId> ids, std::size_t words, BitSource& bits) {
  for (TokenId& id : ids)
    if (id == uniform_input(words)) id = static_cast<TokenId>(random::uniform_below(bits, words));
}

/// Empty if there is no closed form, or none in reasonable time.
std::vector<double> exact_row(const Mechanism& mechanism, TokenId input, std::size_t words) {
  if (input != uniform_input(words)) return mechanism.row(input);
  return words > kMostRows ? std::vector<double>() : mechanism.mean_row();
}

}  // namespace

double input_distance(const Mechanism& mechanism, TokenId a, TokenId b, std::size_t words) {
  const TokenId uniform = uniform_input(words);
  if (a == b) return 0;
  if (a == uniform) std::swap(a, b);
  if (b != uniform) return mechanism.distance(a, b);
  double farthest = 0;
  for (TokenId word = 0; word < words; ++word) farthest = std::max(farthest, mechanism.distance(a, word));
  return farthest;
}

std::vector<std::uint64_t> sampled_counts(const Mechanism& mechanism, TokenId word, std::size_t outputs,
                                          std::uint64_t draws) {
  constexpr std::uint64_t kBatch = 1024;
  random::OsBitSource bits;
  std::vector<std::uint64_t> counts(outputs, 0);
  std::vector<TokenId> ids;
  for (std::uint64_t left = draws; left > 0; left -= ids.size()) {
    ids.assign(std::min(left, kBatch), word);
    draw_places(ids, outputs, bits);
    mechanism.privatize(ids, ids, bits);
    for (const TokenId id : ids) ++counts[id];
  }
  return counts;
}

WordRow word_row(const Mechanism& mechanism, TokenId word, std::size_t outputs, std::uint64_t draws) {
  WordRow row{exact_row(mechanism, word, outputs), 0};
  if (!row.probabilities.empty()) return row;
  row.draws = draws;
  for (const std::uint64_t count : sampled_counts(mechanism, word, outputs, draws))
    row.probabilities.push_back(draws == 0 ? 0 : static_cast<double>(count) / static_cast<double>(draws));
  return row;
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
