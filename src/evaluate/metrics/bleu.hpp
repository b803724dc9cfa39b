// BLEU (Papineni et al., 2002) over tokens: how many of a reference's n-grams a rewritten text keeps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::evaluate {

/// How an order without a match is treated; without smoothing it makes the score zero.
enum class BleuSmoothing {
  none,     ///< nothing (nltk's method0 gives scores near 1e-78 where this gives 0)
  floor,    ///< 0 matches count as 0.1 (sacrebleu's "floor", nltk's method1)
  add_one,  ///< 1 is added to matches and totals of orders from 2 on (sacrebleu's "add-k", nltk's method2)
  exponential,  ///< the k-th order without a match counts as 1/2^k matches (sacrebleu's "exp", nltk's
                ///< method3)
};

/// How orders longer than the candidate are treated. add_one takes precedence over the first two.
enum class BleuShortText {
  zero,       ///< the score is 0 (sacrebleu's corpus score)
  leave_out,  ///< they are excluded from the mean (sacrebleu's sentence score, "effective order")
  one_miss,   ///< they count as one n-gram that does not match (nltk)
};

struct BleuOptions {
  std::size_t order = 4;  ///< longest n-gram, 1 to 4
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  BleuShortText short_text = BleuShortText::zero;
};

/// sacrebleu's corpus and sentence scores with its defaults. DP-MLM reports BLEU of whole data sets between 0
/// and 1 and names neither implementation nor smoothing; the other papers do not use BLEU. Sotto's reports
/// use the first of these.
inline constexpr BleuOptions kSacrebleuCorpus = {};
inline constexpr BleuOptions kSacrebleuSentence = {4, BleuSmoothing::exponential, BleuShortText::leave_out};

struct BleuScore {
  double score = 0;                ///< 0 to 1; sacrebleu prints 100 times as much
  std::vector<double> precisions;  ///< after smoothing, for n = 1, 2, …
  double brevity_penalty = 0;
  std::size_t candidate_length = 0;
  std::size_t reference_length = 0;
};

using Tokens = std::vector<std::string>;

/// BLEU of the candidates, each against its one reference, from n-gram counts summed over all (tokens as
/// given: sacrebleu's tokenize="none"). The spans have equal length. If no token matches, for example because
/// a side is empty, the score is 0. Thread-safe.
Result<BleuScore> corpus_bleu(std::span<const Tokens> candidates, std::span<const Tokens> references,
                              const BleuOptions& options = kSacrebleuCorpus);

/// BLEU of one candidate against its reference. Thread-safe.
Result<BleuScore> sentence_bleu(const Tokens& candidate, const Tokens& reference,
                                const BleuOptions& options = kSacrebleuSentence);

}  // namespace sotto::evaluate
