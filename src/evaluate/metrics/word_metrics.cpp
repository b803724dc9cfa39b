#include "evaluate/metrics/word_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include "audit/estimate.hpp"
#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "base/work_meter.hpp"
#include "evaluate/metrics/text_metrics.hpp"
#include "mechanisms/expected_distinct.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::evaluate {
namespace {

Result<void> check(const Model& model, std::span<const TokenId> words, const WordMetricOptions& options) {
  if (words.empty()) return fail_parameter("words", "", "none are given; give at least one");
  std::unordered_set<TokenId> seen;
  for (const TokenId word : words) {
    if (word > model.bottom())
      return fail_parameter(
          "words", fmt::to_string(word),
          fmt::format("{} is not a word of '{}', which has {}", word, model.name(), model.size()));
    if (!seen.insert(word).second)
      return fail_parameter("words", fmt::to_string(word),
                            fmt::format("'{}' is given twice; give each once",
                                        word == model.bottom() ? "⊥" : model.word(word)));
  }
  if (options.draws == 0 || options.repetitions == 0)
    return fail_parameter("draws", fmt::to_string(options.draws),
                          fmt::format("{} times {} is not allowed; give at least 1 of both",
                                      options.repetitions, options.draws));
  if (!(options.eta > 0 && options.eta < 1))
    return base::not_allowed("eta", options.eta, "a number above 0 and below 1");
  if (!(options.confidence > 0 && options.confidence < 1))
    return base::not_allowed("confidence", options.confidence, "a number above 0 and below 1");
  return {};
}

/// The size of the smallest set of mass 1 − η.
std::uint64_t support_of(std::vector<double> probabilities, double eta) {
  std::sort(probabilities.begin(), probabilities.end(), std::greater<>());
  double mass = 0;
  std::uint64_t size = 0;
  while (size < probabilities.size() && mass < 1 - eta) mass += probabilities[size++];
  return size;
}

WordMetrics from_row(const std::vector<double>& row, TokenId word, const WordMetricOptions& options) {
  const double stays = word < row.size() ? row[word] : 0;
  return {word, true, audit::exactly(stays), audit::exactly(mechanism::expected_distinct(row, options.draws)),
          support_of(row, options.eta)};
}

/// McDiarmid's inequality: one draw changes the mean of `groups` counts of distinct outputs by at most
/// 1/groups, so P(|mean − expectation| >= t) <= 2·exp(−2·t²·groups/draws).
Estimate distinct_interval(double mean, std::uint64_t draws, std::uint64_t groups, double confidence) {
  const auto most = static_cast<double>(draws);
  const double half = std::sqrt(most * std::log(2 / (1 - confidence)) / (2 * static_cast<double>(groups)));
  return {mean, std::max(1.0, mean - half), std::min(most, mean + half)};
}

struct Sampled {
  WordMetrics metrics;
  std::uint64_t unchanged = 0;
};

/// Draws m outputs of one word `repetitions` times, from a separate stream.
Sampled sample_word(const Mechanism& mechanism, TokenId word, const WordMetricOptions& options) {
  constexpr std::uint64_t kAtOnce = 4096;
  random::ChaChaBitSource bits(random::purpose_key(fmt::format("word metrics {} {}", options.seed, word)));
  const std::unique_ptr<PendingTokens> pending = mechanism.make_pending();
  const std::uint64_t all = options.draws * options.repetitions;
  const std::vector<TokenId> in(std::min(all, kAtOnce), word);
  std::vector<TokenId> out(all);
  for (std::uint64_t begin = 0; begin < all; begin += kAtOnce) {
    const std::uint64_t count = std::min(kAtOnce, all - begin);
    pending->add(std::span(in).first(count), bits);
    pending->resolve(std::span(out).subspan(begin, count));
  }
  std::uint64_t distinct = 0;
  for (std::uint64_t begin = 0; begin < all; begin += options.draws) {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(begin);
    distinct += std::unordered_set<TokenId>(first, first + static_cast<std::ptrdiff_t>(options.draws)).size();
  }
  std::map<TokenId, std::uint64_t> counts;
  for (const TokenId id : out) ++counts[id];
  std::vector<double> frequencies;
  frequencies.reserve(counts.size());
  for (const auto& [id, count] : counts)
    frequencies.push_back(static_cast<double>(count) / static_cast<double>(all));

  Sampled sampled;
  sampled.unchanged = counts.contains(word) ? counts.at(word) : 0;
  const double mean = static_cast<double>(distinct) / static_cast<double>(options.repetitions);
  sampled.metrics = {word, false, audit::share_of_trials(sampled.unchanged, all, options.confidence),
                     distinct_interval(mean, options.draws, options.repetitions, options.confidence),
                     support_of(std::move(frequencies), options.eta)};
  return sampled;
}

/// Fills the means over the words.
void summarize(WordMetricsReport& report, std::uint64_t unchanged, const WordMetricOptions& options) {
  std::vector<double> stays;
  std::vector<double> distinct;
  for (const WordMetrics& word : report.words) {
    stays.push_back(word.stays.value);
    distinct.push_back(word.distinct.value);
    report.mean_support += static_cast<double>(word.support) / static_cast<double>(report.words.size());
  }
  report.stays_spread = spread_of(stays);
  report.distinct_spread = spread_of(distinct);
  report.stays = audit::exactly(report.stays_spread.mean);
  report.distinct = audit::exactly(report.distinct_spread.mean);
  if (report.exact) return;
  const std::uint64_t groups = report.words.size() * options.repetitions;
  // The probabilities of different words differ; the number of successes then varies less than under the
  // binomial law that the interval assumes.
  report.stays = audit::share_of_trials(unchanged, groups * options.draws, options.confidence);
  report.distinct = distinct_interval(report.distinct.value, options.draws, groups, options.confidence);
}

/// The first `count` of a random order.
std::vector<TokenId> draw_words(std::vector<TokenId> words, std::size_t count, std::uint64_t seed) {
  random::ChaChaBitSource bits(random::purpose_key(fmt::format("random words {}", seed)));
  count = std::min(count, words.size());
  for (std::size_t i = 0; i < count; ++i)
    std::swap(words[i], words[i + random::uniform_below(bits, words.size() - i)]);
  words.resize(count);
  return words;
}

}  // namespace

Result<WordMetricsReport> word_metrics(const Mechanism& mechanism, const Model& model,
                                       std::span<const TokenId> words, const WordMetricOptions& options) {
  SOTTO_TRY(check(model, words, options));
  WordMetricsReport report;
  report.words.resize(words.size());
  report.exact = !options.always_sample && !mechanism.row(words[0]).empty();
  report.draws = options.draws;
  report.repetitions = report.exact ? 0 : options.repetitions;

  std::mutex mutex;
  std::uint64_t unchanged = 0;
  base::WorkMeter meter(options.progress, words.size());
  base::parallel_for(words.size(), 1, base::thread_count(options.threads), [&](std::size_t i, std::size_t) {
    if (meter.stopped()) return;
    Sampled word;
    if (report.exact)
      word.metrics = from_row(mechanism.row(words[i]), words[i], options);
    else
      word = sample_word(mechanism, words[i], options);
    const std::lock_guard lock(mutex);
    report.words[i] = word.metrics;
    unchanged += word.unchanged;
    meter.add(1);
  });
  SOTTO_TRY(meter.result());
  summarize(report, unchanged, options);
  return report;
}

Result<WordProtocol> word_protocol(std::string_view name) {
  if (name == "comparative") return WordProtocol{"comparative", 25, 100, true};
  if (name == "diffractor") return WordProtocol{"diffractor", 100, 100, false};
  return fail_parameter("protocol", name,
                        fmt::format("'{}' is not known; give one of {}", name, kWordProtocolNames));
}

std::vector<TokenId> random_words(const Model& model, std::size_t count, std::uint64_t seed) {
  std::vector<TokenId> words(model.size());
  std::iota(words.begin(), words.end(), TokenId{0});
  return draw_words(std::move(words), count, seed);
}

std::vector<TokenId> random_words(const Model& model, std::span<const std::string> texts, std::size_t count,
                                  std::uint64_t seed) {
  std::vector<TokenId> words;
  for (const std::string& text : texts)
    for (const std::string& word : words_of(text))
      if (const TokenId id = model.find(word); id != model.bottom()) words.push_back(id);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return draw_words(std::move(words), count, seed);
}

Result<std::vector<TokenId>> find_words(const Model& model, std::span<const std::string> words) {
  std::vector<TokenId> ids;
  for (const std::string& word : words) {
    ids.push_back(model.find(word));
    if (ids.back() == model.bottom())
      return fail_parameter("words", word, fmt::format("'{}' is not in model '{}'", word, model.name()),
                            Errc::not_found);
  }
  return ids;
}

}  // namespace sotto::evaluate
