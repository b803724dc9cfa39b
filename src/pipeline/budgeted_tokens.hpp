// Tokens that do not all have the same ε: a batch for each, and their outputs in the order of the tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "mechanisms/mechanism_bank.hpp"

namespace sotto {

/// As PendingTokens, with an ε for each token. Documents of one length have the same ε, so that the batches
/// of short documents fill; a long document fills batches of its own. Not thread-safe.
class BudgetedTokens {
 public:
  /// `bank` must outlive it. `good_batch` is that of its mechanisms.
  BudgetedTokens(MechanismBank& bank, std::size_t good_batch);

  /// Draws everything random about these tokens, in order; token i has epsilons[i]. An ε that the mechanism
  /// refuses is an error, and then nothing is drawn.
  Result<void> add(std::span<const TokenId> in, std::span<const double> epsilons, BitSource& bits);

  /// Whether it is time to resolve: the batches are good ones, or there are too many of them.
  bool is_full() const;

  /// The outputs of all tokens since the last call, in the order of adding; then it is empty again.
  void resolve(std::span<TokenId> out);

  /// Forgets what was added.
  void clear();

 private:
  /// The tokens of one ε.
  struct Batch {
    std::shared_ptr<const Mechanism> mechanism;
    std::unique_ptr<PendingTokens> pending;
    std::size_t size = 0;
    std::vector<TokenId> outputs;
    std::size_t taken = 0;
  };
  /// Consecutive tokens of one batch.
  struct Run {
    std::size_t batch;
    std::size_t size;
  };

  Result<std::size_t> find_batch(double epsilon);

  MechanismBank& bank_;
  std::size_t good_batch_;
  std::vector<Batch> batches_;
  std::unordered_map<double, std::size_t> places_;  // of the batches, by ε
  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace sotto
