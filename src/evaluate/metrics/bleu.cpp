#include "evaluate/metrics/bleu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace sotto::evaluate {
namespace {

constexpr std::size_t kMostOrder = 4;
constexpr double kFloor = 0.1;

/// Numbers from 1 for the tokens of one pair; 0 pads n-grams shorter than the longest.
using Gram = std::array<std::uint32_t, kMostOrder>;

struct MatchCounts {
  std::array<double, kMostOrder> matches = {};
  std::array<double, kMostOrder> totals = {};
  std::size_t candidate_length = 0;
  std::size_t reference_length = 0;
};

using TokenNumbers = std::unordered_map<std::string_view, std::uint32_t>;

std::vector<std::uint32_t> numbered(const Tokens& tokens, TokenNumbers& numbers) {
  std::vector<std::uint32_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens)
    ids.push_back(numbers.emplace(token, static_cast<std::uint32_t>(numbers.size() + 1)).first->second);
  return ids;
}

std::map<Gram, std::uint64_t> count_grams(std::span<const std::uint32_t> ids, std::size_t n) {
  std::map<Gram, std::uint64_t> counts;
  for (std::size_t i = 0; i + n <= ids.size(); ++i) {
    Gram gram = {};
    std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(i), n, gram.begin());
    ++counts[gram];
  }
  return counts;
}

void add_pair(MatchCounts& counts, const Tokens& candidate, const Tokens& reference, std::size_t order) {
  TokenNumbers numbers;
  const std::vector<std::uint32_t> candidate_ids = numbered(candidate, numbers);
  const std::vector<std::uint32_t> reference_ids = numbered(reference, numbers);
  for (std::size_t n = 1; n <= order; ++n) {
    const auto expected = count_grams(reference_ids, n);
    for (const auto& [gram, count] : count_grams(candidate_ids, n)) {
      const auto found = expected.find(gram);
      const std::uint64_t matched = found == expected.end() ? 0 : std::min(count, found->second);
      counts.matches[n - 1] += static_cast<double>(matched);
      counts.totals[n - 1] += static_cast<double>(count);
    }
  }
  counts.candidate_length += candidate.size();
  counts.reference_length += reference.size();
}

double brevity_penalty(const MatchCounts& counts) {
  if (counts.candidate_length == 0) return 0;
  if (counts.candidate_length >= counts.reference_length) return 1;
  return std::exp(1 - static_cast<double>(counts.reference_length) /
                          static_cast<double>(counts.candidate_length));
}

/// The precisions of the orders that count, up to the first one that exceeds the candidate's length.
std::vector<double> smoothed_precisions(const MatchCounts& counts, const BleuOptions& options) {
  std::vector<double> precisions;
  double misses = 1;
  for (std::size_t n = 1; n <= options.order; ++n) {
    double matches = counts.matches[n - 1];
    double total = counts.totals[n - 1];
    if (options.short_text == BleuShortText::one_miss) total = std::max(total, 1.0);
    if (options.smoothing == BleuSmoothing::add_one && n > 1) {
      matches += 1;
      total += 1;
    }
    if (total == 0) break;
    if (matches == 0 && options.smoothing == BleuSmoothing::exponential) matches = 1 / (misses *= 2);
    if (matches == 0 && options.smoothing == BleuSmoothing::floor) matches = kFloor;
    precisions.push_back(matches / total);
  }
  if (options.short_text == BleuShortText::zero) precisions.resize(options.order, 0);
  return precisions;
}

BleuScore score_of(const MatchCounts& counts, const BleuOptions& options) {
  BleuScore score;
  score.candidate_length = counts.candidate_length;
  score.reference_length = counts.reference_length;
  score.brevity_penalty = brevity_penalty(counts);
  // Without a single matching token, smoothing would invent a score.
  if (counts.matches[0] == 0) {
    score.precisions.assign(options.order, 0);
    return score;
  }
  score.precisions = smoothed_precisions(counts, options);
  double sum = 0;
  for (const double precision : score.precisions) sum += std::log(precision);
  score.score = score.brevity_penalty * std::exp(sum / static_cast<double>(score.precisions.size()));
  return score;
}

Result<void> check_order(std::size_t order) {
  if (order >= 1 && order <= kMostOrder) return {};
  return fail(
      Errc::invalid_argument,
      fmt::format("BLEU's order: '{}' is not allowed; give a whole number from 1 to {}", order, kMostOrder));
}

}  // namespace

Result<BleuScore> corpus_bleu(std::span<const Tokens> candidates, std::span<const Tokens> references,
                              const BleuOptions& options) {
  SOTTO_TRY(check_order(options.order));
  if (candidates.size() != references.size())
    return fail(Errc::invalid_argument,
                fmt::format("BLEU: {} candidates and {} references; give equally many", candidates.size(),
                            references.size()));
  MatchCounts counts;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    add_pair(counts, candidates[i], references[i], options.order);
  return score_of(counts, options);
}

Result<BleuScore> sentence_bleu(const Tokens& candidate, const Tokens& reference,
                                const BleuOptions& options) {
  return corpus_bleu(std::span(&candidate, 1), std::span(&reference, 1), options);
}

}  // namespace sotto::evaluate
