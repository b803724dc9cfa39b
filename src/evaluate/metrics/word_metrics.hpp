// Plausible deniability of words: N_w and S_w.
//
// N_w is the probability that a word comes out unchanged, P(w|w). S_w is the expected number of distinct
// outputs in m draws, Σ_y (1 − (1 − P(y|w))^m). The size of the smallest set of outputs of mass 1 − η is
// given too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/attack.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/metrics/mean_interval.hpp"

namespace sotto::evaluate {

struct WordMetricOptions {
  std::uint64_t draws = 100;       ///< m
  std::uint64_t repetitions = 1;   ///< if sampled: how often m draws are made per word
  double eta = 0.05;               ///< of the set of mass 1 − η
  double confidence = 0.95;        ///< of each interval
  bool always_sample = false;      ///< draw even if there is a closed form, as the papers do
  std::uint64_t seed = 0;          ///< of the draws; those of a word depend on it and on the word alone
  unsigned threads = 0;            ///< 0: one per processor; changes no figure
  ProgressCallback progress = {};  ///< receives the number of words done
};

struct WordMetrics {
  TokenId word = 0;
  bool exact = false;
  Estimate stays;     ///< N_w; if sampled, with the Clopper-Pearson interval
  Estimate distinct;  ///< S_w; if sampled, with McDiarmid's interval, which holds for every law and m
  /// The size of the smallest set of mass 1 − η. If sampled: of the observed frequencies, which is too small
  /// if there are few draws.
  std::uint64_t support = 0;
};

struct WordMetricsReport {
  std::vector<WordMetrics> words;  ///< in the order given
  bool exact = false;              ///< all of them
  std::uint64_t draws = 0;         ///< m
  std::uint64_t repetitions = 0;   ///< 0 if exact
  Estimate stays;  ///< mean over these words; the interval reflects the draws, not the choice of words
  Estimate distinct;
  Spread stays_spread;  ///< over the words
  Spread distinct_spread;
  double mean_support = 0;

  double ratio() const { return stays.value / distinct.value; }  ///< N_w : S_w
};

/// N_w and S_w of each of `words`, distinct ids of `model` (⊥ allowed: it cannot come out, so its N_w is 0).
/// Exact if the mechanism has a closed form. The result depends on seed and words, not on threads. Rejects an
/// empty list and a repeated word, whose draws would be the same.
Result<WordMetricsReport> word_metrics(const Mechanism& mechanism, const Model& model,
                                       std::span<const TokenId> words, const WordMetricOptions& options = {});

/// How a paper chose words and draws.
struct WordProtocol {
  std::string name;
  std::size_t words;
  std::uint64_t draws;
  bool from_texts;  ///< words of the data set; otherwise of the whole vocabulary
};

inline constexpr std::string_view kWordProtocolNames = "comparative, diffractor";

/// "comparative": 25 words of the data set, 100 draws each. "diffractor": 100 words of the vocabulary, 100
/// draws each.
Result<WordProtocol> word_protocol(std::string_view name);

/// `count` distinct words of the model, chosen uniformly; all of them if there are fewer. The same seed gives
/// the same words.
std::vector<TokenId> random_words(const Model& model, std::size_t count, std::uint64_t seed);

/// `count` of the distinct words of `texts` that the model has, chosen uniformly.
std::vector<TokenId> random_words(const Model& model, std::span<const std::string> texts, std::size_t count,
                                  std::uint64_t seed);

/// The ids of `words`; an error names the first one that the model lacks.
Result<std::vector<TokenId>> find_words(const Model& model, std::span<const std::string> words);

}  // namespace sotto::evaluate
