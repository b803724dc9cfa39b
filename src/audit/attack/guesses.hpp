// What adversaries guess when they see an output.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "audit/attack/word_space.hpp"

namespace sotto::audit {

/// The weight of each word of the model under a prior, which is "uniform" or "counts".
Result<std::vector<double>> prior_weights(const Model& model, std::string_view prior);

/// The possible secret words.
struct Secrets {
  std::vector<TokenId> words;  ///< ascending
  std::vector<double> prior;   ///< of each; adds up to 1

  /// `count` words (0: all) drawn without replacement by the prior, which is "uniform" or "counts". With
  /// counts, words without a count cannot be secrets.
  static Result<Secrets> choose(const Model& model, std::uint64_t count, std::string_view prior,
                                BitSource& bits);
};

struct Guess {
  std::uint32_t secret;  ///< index into Secrets
  double weight;
};

/// For every output, the secrets that an adversary considers, at least one, with weights that add up to 1,
/// best guess first.
class Guesses {
 public:
  /// `columns` has the guesses of each output in any order and with any weights >= 0; among equal weights the
  /// first in `columns` counts as better.
  explicit Guesses(const std::vector<std::vector<Guess>>& columns);

  std::span<const Guess> of(TokenId output) const {
    return std::span(guesses_).subspan(begins_[output], begins_[output + 1ULL] - begins_[output]);
  }

 private:
  std::vector<Guess> guesses_;
  std::vector<std::size_t> begins_ = {0};
};

/// The output itself, or the nearest secret.
Result<Guesses> nearest_guesses(const WordSpace& space, const Secrets& secrets, std::size_t outputs,
                                unsigned threads);

/// The nearest secrets, weighted by π(w)·exp(−½ε·d).
Result<Guesses> inversion_guesses(const WordSpace& space, const Secrets& secrets, std::size_t outputs,
                                  std::size_t neighbours, double epsilon, unsigned threads);

}  // namespace sotto::audit
