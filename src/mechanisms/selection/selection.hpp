// Selection mechanisms: one of the words is chosen, with a probability that falls with its distance from the
// input. Common parts: rows of integer weights over fixed-point vectors, exact inversion with two random
// words per token, tables for frequent inputs, and rows computed in groups for the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <sotto/mechanism.hpp>

#include "embed/nearest.hpp"
#include "mechanisms/bottom_vector.hpp"
#include "mechanisms/integer_rows.hpp"
#include "mechanisms/mechanism_request.hpp"
#include "mechanisms/selection/row_cache.hpp"
#include "mechanisms/selection/selection_rule.hpp"
#include "mechanisms/weights.hpp"

namespace sotto::mechanism {

/// What selections of all ε share: the vectors and the memory for rows. Safe to share between threads.
class SelectionSpace {
 public:
  /// `selection` names the rule; `candidates` are the possible outcomes, ascending; empty means every word.
  /// Refuses a model without vectors and an unknown rule.
  static Result<std::shared_ptr<const SelectionSpace>> make(const MechanismRequest& request,
                                                            std::string_view selection,
                                                            std::vector<TokenId> candidates = {});

  const Model& model() const { return *model_; }
  const embed::NearestSearch& search() const { return search_; }
  SelectionKind selection() const { return selection_; }
  std::size_t inputs() const { return model_->size() + std::size_t{1}; }
  std::size_t outcomes() const { return search_.size(); }
  /// Whether `word` is a possible outcome.
  bool is_candidate(TokenId word) const {
    return candidates_.empty() || std::binary_search(candidates_.begin(), candidates_.end(), word);
  }
  TokenId word(std::uint32_t outcome) const { return candidates_.empty() ? outcome : candidates_[outcome]; }
  std::span<const std::int16_t> vector(TokenId input) const;
  /// |vector|².
  std::int64_t norm(TokenId input) const { return norms_[input]; }
  /// The Euclidean distance between two inputs, ⊥ allowed, in the model's units.
  double distance(TokenId a, TokenId b) const { return euclidean_distance(*model_, bottom_, a, b); }
  /// No input is farther than this from any outcome.
  double longest_distance() const { return longest_distance_; }
  /// Whether an input is frequent enough for a dense row.
  bool wants_table(TokenId input) const { return wants_table_[input]; }
  RowMemory& memory() const { return memory_; }
  /// The memory of each selection in addition to that.
  std::uint64_t bytes_each() const { return inputs() * sizeof(void*); }

 private:
  struct MemorySplit {
    std::uint64_t tables;
    std::uint64_t blocks;
  };

  SelectionSpace(std::shared_ptr<const Model> model, embed::NearestSearch search, SelectionKind selection,
                 std::vector<TokenId> candidates, const MemorySplit& memory);
  static MemorySplit split_memory(const MechanismRequest& request, std::size_t outcomes,
                                  std::size_t state_size);
  void choose_table_inputs(std::uint64_t table_bytes);
  void copy_vectors();

  std::shared_ptr<const Model> model_;
  embed::NearestSearch search_;
  SelectionKind selection_;
  std::vector<TokenId> candidates_;
  std::vector<std::int16_t> own_vectors_;  ///< of an 8-bit model, widened
  std::vector<std::int16_t> bottom_;       ///< the vocabulary's mean, rounded
  std::vector<std::int64_t> norms_;
  double longest_distance_ = 0;
  std::vector<bool> wants_table_;
  mutable RowMemory memory_;
};

/// The rows of a selection mechanism at one ε. Safe to share between threads; its cache does not affect
/// results.
class Selection {
 public:
  /// Distances greater than `limit` count as `limit`.
  Selection(std::shared_ptr<const SelectionSpace> space, double epsilon,
            double limit = std::numeric_limits<double>::infinity());

  /// A token to be answered: bits 31:0 are the place of its output, bits 63:32 its input.
  static std::uint64_t ticket(TokenId input, std::size_t place) {
    return static_cast<std::uint64_t>(input) << 32 | place;
  }

  /// Reusable buffers for resolve().
  struct Scratch {
    std::vector<std::span<const std::uint64_t>> missing;
    std::vector<std::int16_t> queries;
    std::vector<std::int64_t> squared;
    std::vector<std::uint64_t> cumulative;
  };

  /// Answers every ticket using the draw at its place. Sorts the tickets.
  void resolve(std::span<std::uint64_t> tickets, std::span<const UniformDraw> draws, std::span<TokenId> out,
               Scratch& scratch) const;

  /// The probabilities of all words of the model, from the sampled weights.
  std::vector<double> row(TokenId input) const;

  /// The probability of `output` for each word of the model; empty if there are too many words to prepare
  /// all their rows, which the first call does.
  std::vector<double> column(TokenId output) const;

  /// The sampled weights, one per candidate.
  std::vector<std::uint64_t> weights(TokenId input) const;

  /// The total variation distance between the sampled row and the mechanism's own, which has neither the cap
  /// on the distance nor the reduction of ε for rounding (see weights.hpp).
  double moved_mass(TokenId input) const;

  /// Bound on the relative error of a weight before rounding down, compared with exact arithmetic.
  double weight_error() const { return sotto::mechanism::weight_error(space_->selection(), outcomes()); }
  /// The Euclidean distance between two inputs, ⊥ allowed, in the model's units.
  double distance(TokenId a, TokenId b) const { return space_->distance(a, b); }
  const Model& model() const { return space_->model(); }
  const SelectionRule& rule() const { return *rule_; }
  const DistanceWeights& distance_weights() const { return weights_; }
  std::size_t outcomes() const { return space_->outcomes(); }

  /// The squared distances of all outcomes from each of `inputs`, row-major.
  void squared_distances(std::span<const TokenId> inputs, std::span<std::int64_t> out) const;

 private:
  std::vector<std::int64_t> squared_distances(TokenId input) const;

  void answer(const CachedRow& row, std::span<const std::uint64_t> tickets,
              std::span<const UniformDraw> draws, std::span<TokenId> out) const;
  std::uint32_t find_in_block(const BlockRow& row, TokenId input, std::uint64_t position) const;
  void answer_missing(std::span<const std::span<const std::uint64_t>> groups,
                      std::span<const UniformDraw> draws, std::span<TokenId> out, Scratch& scratch) const;
  void keep(TokenId input, std::span<const std::int64_t> squared, std::span<const std::uint64_t> cumulative,
            std::vector<double> state) const;
  void sum_up_rows() const;

  /// What the weights of a row need to become probabilities.
  struct RowSum {
    std::vector<double> state;
    std::uint64_t total = 0;
  };

  std::shared_ptr<const SelectionSpace> space_;
  DistanceWeights weights_;
  std::unique_ptr<SelectionRule> rule_;
  std::unique_ptr<RowCache> cache_;
  mutable std::once_flag summed_up_;
  mutable std::vector<RowSum> sums_;  ///< by word of the model
};

/// Tokens of a selection mechanism: two random words each.
class SelectionTokens : public PendingTokens {
 public:
  explicit SelectionTokens(const Selection& selection) : selection_(selection) {}

  void add(std::span<const TokenId> in, BitSource& bits) override;
  void resolve(std::span<TokenId> out) override;

 protected:
  /// Draws for one token.
  void add_selected(TokenId input, BitSource& bits);
  /// A token that is its own answer.
  void add_kept(TokenId input);

 private:
  const Selection& selection_;
  std::vector<std::uint64_t> tickets_;
  std::vector<std::uint64_t> kept_;
  std::vector<UniformDraw> draws_;
  Selection::Scratch scratch_;
};

/// Base of the mechanisms that consist of a Selection and a guarantee for it.
class SelectionMechanism : public IntegerMechanism {
 public:
  explicit SelectionMechanism(std::unique_ptr<Selection> selection) : selection_(std::move(selection)) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<SelectionTokens>(*selection_);
  }
  /// Enough that words outside the cache share a pass over the vectors and rare words occur more than once.
  std::size_t good_batch() const override { return 200'000; }
  std::vector<double> row(TokenId word) const override { return selection_->row(word); }
  std::vector<double> column(TokenId output) const override { return selection_->column(output); }

  /// See Selection::moved_mass.
  virtual double moved_mass(TokenId word) const { return selection_->moved_mass(word); }

  const Selection& selection() const { return *selection_; }

 private:
  std::unique_ptr<Selection> selection_;
};

/// ε²/8 if the rule's loss has a range of ε·d as the output varies, as Guarantee::rho requires; otherwise 0.
double selection_rho(const Selection& selection, double epsilon);

/// The assumptions that every selection mechanism states.
std::vector<std::string> selection_assumptions();

}  // namespace sotto::mechanism
