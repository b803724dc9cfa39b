// Bounds on the loss between two rows of a selection mechanism, without evaluating every output.
//
// Write e(D) = min(s·√D, c), in real numbers (s and c as in mechanisms/weights.hpp, s·√D a little below
// ½ε·d), for the exponent of an output at squared distance D, and ψ_x(D) = ln(W_x(D)/T_x) + e(D), where
// W_x(D) is the integer weight that the rule gives to an output at D in the row of x and T_x the row's total.
// For x, x′ at squared distance Δ and any output y at D from x and D′ from x′,
//
//   loss = ψ_x(D) − ψ_x′(D′) + e(D′) − e(D)  <=  ψ_x(D) − ψ_x′(D′) + e(Δ),
//
// because min(d, cap) is a metric, and √D′ <= √D + √Δ. Up to rounding, ψ_x never increases with D:
// - exponential mechanism: W_x(D) ≈ 2^k·exp(−e(D)), so ψ_x is −ln T_x + k·ln 2, a constant. The bound is
//   e(Δ) + ln(T_x′/T_x), and the output y = x attains it, as W_x(0)/W_x′(Δ) = exp(e(Δ));
// - permute-and-flip: W_x(D) ≈ 2^62·p·G_x(p), p = exp(m_x − e(D)) with m_x the row's least exponent, and
//   G_x(p) = ∫₀¹ ∏_z (1 − t·p_z)/(1 − t·p) dt. So ψ_x = m_x + ln G_x(p) + constant, which grows with p, that
//   is, falls with D. Over a range [a, b] of D the loss is then at most e(Δ) + ψ_x(a) − ψ_x′((√b + √Δ)²), and
//   cutting the range into pieces makes this as sharp as desired. It is attained at D = 0, that is y = x.
//
// ⊥ is not an output, so nothing attains the bound from its row to another's, and the bound would be far off.
// But given the distances of all outputs from x′, ln(P(y|⊥)/P(y|x′)) = ln P(y|⊥) + e(D′) − ψ_x′(D′), and only
// the last term has to be bounded.
//
// Rounding: a weight is ⌊W(1 + η)⌋ of the exact one, |η| <= selection.weight_error(). So ln of the exact one
// lies between ln(weight) − η′ and ln(weight + 1) + η′, with η′ slightly above that, and each bound uses the
// unfavourable side twice: from the given weight to the monotone function, and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mechanisms/selection/selection.hpp"

namespace sotto::audit {

/// What is known about each prepared row of `inputs`. Several threads may prepare different rows and read
/// others.
class LossBounds {
 public:
  LossBounds(const mechanism::Selection& selection, std::size_t inputs);

  /// The most memory that a row takes.
  static std::uint64_t bytes_per_row(const mechanism::Selection& selection) {
    return sizeof(Row) + 2 * sizeof(double) + selection.rule().state_size() * sizeof(double);
  }

  /// Computes row i from the squared distances of all outputs.
  void prepare(std::size_t i, std::span<const std::int64_t> squared);

  /// Upper and lower bounds of ψ over the row, in double precision, rounded outward.
  std::span<const double> highest() const { return highest_; }
  std::span<const double> lowest() const { return lowest_; }

  /// e(Δ), rounded up.
  double exponent(std::int64_t squared) const;

  /// A bound on ln(P(y|i)/P(y|j)) for all outputs y, with i and j at squared distance Δ: the sharpest one
  /// that takes little work, or any that is at most `enough`.
  double loss_bound(std::size_t i, std::size_t j, std::int64_t squared, double enough) const;

  /// Sets the source of loss_from_source(): an input and the squared distances of all outputs from it.
  void set_source(std::size_t i, std::span<const std::int64_t> squared);

  /// A bound on ln(P(y|source)/P(y|j)) for all outputs y, whose squared distances from j are given.
  double loss_from_source(std::size_t j, std::span<const std::int64_t> squared) const;

  /// ln(P(i|i)/P(i|j)) if i is an output, rounded down: this much is attained.
  double loss_at_itself(std::size_t i, std::size_t j, std::int64_t squared) const;

  /// True if the two rows were computed from the same numbers.
  bool same_row(std::size_t i, std::size_t j) const;

 private:
  struct Row {
    std::vector<double> state;      ///< of the rule
    long double log_total_low = 0;  ///< bounds of ln T
    long double log_total_high = 0;
    std::int64_t nearest = 0;  ///< least and greatest squared distance of an output
    std::int64_t farthest = 0;
    bool operator==(const Row&) const = default;
  };
  /// Squared distances from `from` to `to`, and the bound on the loss of the outputs in that range.
  struct Range {
    std::int64_t from;
    std::int64_t to;
    double bound;
    bool operator<(const Range& other) const { return bound < other.bound; }
  };

  long double exact_exponent(std::int64_t squared) const;
  void bound_total(Row& row, std::span<const std::int64_t> squared) const;
  std::uint64_t weight(const Row& row, std::int64_t squared) const;
  long double upper_psi(const Row& row, std::int64_t squared) const;
  long double lower_psi(const Row& row, std::int64_t squared) const;
  Range bounded(const Row& row, const Row& other, std::int64_t squared, std::int64_t from,
                std::int64_t to) const;
  std::int64_t middle(const Row& row, const Range& range) const;

  const mechanism::Selection& selection_;
  long double slope_;  ///< s
  long double error_;  ///< η′
  std::vector<Row> rows_;
  std::vector<double> highest_;
  std::vector<double> lowest_;
  std::vector<double> source_;  ///< ln P(y|source) of all outputs y, rounded up
};

}  // namespace sotto::audit
