// BLEU (Papineni et al., 2002) over tokens: how much of a reference's n-grams a rewritten text keeps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sotto/result.hpp>

namespace sotto {

/// What a precision of zero is replaced by; without it one missing order makes the score zero.
enum class BleuSmoothing {
  none,     ///< nothing (nltk's method0, whose scores near 1e-78 are 0 here)
  floor,    ///< a match count of 0 becomes 0.1 (nltk's method1, sacrebleu's "floor")
  add_one,  ///< 1 is added to matches and totals of orders from 2 on (nltk's method2, sacrebleu's "add-k")
  exponential,  ///< the k-th order without a match counts as 1/2^k matches (sacrebleu's "exp", nltk's
                ///< method3)
};

struct BleuOptions {
  std::size_t order = 4;  ///< longest n-gram, 1 to 4
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  /// Orders for which the candidate is too short to have an n-gram are left out of the mean, as sacrebleu's
  /// sentence score does. Otherwise they count as orders without a match.
  bool effective_order = false;
};

/// sacrebleu's sentence score, and nltk's as it is without options.
inline constexpr BleuOptions kSacrebleuSentence = {4, BleuSmoothing::exponential, true};
inline constexpr BleuOptions kNltkSentence = {4, BleuSmoothing::none, false};

struct BleuScore {
  double score = 0;                ///< 0 to 1; sacrebleu prints 100 times as much
  std::vector<double> precisions;  ///< after smoothing, for n = 1, 2, …
  double brevity_penalty = 0;
  std::size_t candidate_length = 0;
  std::size_t reference_length = 0;
};

using Tokens = std::vector<std::string>;

/// BLEU of the candidates, each against its one reference, with n-gram counts added up over all: what
/// sacrebleu calls corpus BLEU with tokenize="none". The spans have equal length. Without a candidate token
/// the score is 0; without any token on either side it is 1, since nothing was lost. Thread-safe.
Result<BleuScore> corpus_bleu(std::span<const Tokens> candidates, std::span<const Tokens> references,
                              const BleuOptions& options = {});

/// BLEU of one candidate against its reference. Thread-safe.
Result<BleuScore> sentence_bleu(const Tokens& candidate, const Tokens& reference,
                                const BleuOptions& options = kSacrebleuSentence);

}  // namespace sotto
