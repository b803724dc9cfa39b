// Mechanisms that are broken on purpose. Each claims what its correct version may claim.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <sotto/mechanism.hpp>

#include "mechanisms/unbatched_tokens.hpp"
#include "random/weighted.hpp"

namespace sotto::testing {

using Rows = std::vector<std::vector<double>>;
using Distance = std::function<double(TokenId, TokenId)>;

inline Guarantee metric_claim(double epsilon) {
  Guarantee guarantee;
  guarantee.kind = GuaranteeKind::analytic;
  guarantee.unit = {"distance of the test", "digest"};
  guarantee.epsilon = epsilon;
  return guarantee;
}

/// Any mechanism, given by its rows: one per word, and the last for ⊥.
class TableMechanism final : public Mechanism {
 public:
  TableMechanism(Rows rows, double epsilon, Distance distance)
      : rows_(std::move(rows)), epsilon_(epsilon), distance_(std::move(distance)) {
    for (const std::vector<double>& row : rows_) {
      std::vector<std::uint64_t> weights;
      for (const double p : row) weights.push_back(static_cast<std::uint64_t>(p * 0x1p52));
      tables_.push_back(random::CumulativeTable::make(weights).value());
    }
  }

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<TableMechanism>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = tables_[in[i]].sample(bits);
  }
  Guarantee guarantee() const override { return metric_claim(epsilon_); }
  double distance(TokenId a, TokenId b) const override { return distance_(a, b); }
  std::vector<double> row(TokenId word) const override { return rows_[word]; }

 private:
  Rows rows_;
  double epsilon_;
  Distance distance_;
  std::vector<random::CumulativeTable> tables_;
};

/// A correct mechanism that claims a smaller ε than it was made for: at 2ε its noise is half of what it
/// should be.
class Overclaiming final : public Mechanism {
 public:
  Overclaiming(std::unique_ptr<Mechanism> inner, double claimed)
      : inner_(std::move(inner)), claimed_(claimed) {}

  std::unique_ptr<PendingTokens> make_pending() const override { return inner_->make_pending(); }
  Guarantee guarantee() const override {
    Guarantee guarantee = inner_->guarantee();
    guarantee.epsilon = claimed_;
    return guarantee;
  }
  double distance(TokenId a, TokenId b) const override { return inner_->distance(a, b); }
  std::vector<double> row(TokenId word) const override { return inner_->row(word); }

 private:
  std::unique_ptr<Mechanism> inner_;
  double claimed_;
};

/// Passes words outside the vocabulary through unchanged.
class PassingBottom final : public Mechanism {
 public:
  PassingBottom(std::unique_ptr<Mechanism> inner, TokenId bottom)
      : inner_(std::move(inner)), bottom_(bottom) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<PassingBottom>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    inner_->privatize(in, out, bits);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] == bottom_) out[i] = bottom_;
  }
  Guarantee guarantee() const override { return inner_->guarantee(); }
  double distance(TokenId a, TokenId b) const override { return inner_->distance(a, b); }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  std::unique_ptr<Mechanism> inner_;
  TokenId bottom_;
};

/// Every second token repeats the output of the one before if their inputs are equal, like a cache meant to
/// save time.
class Repeating final : public Mechanism {
 public:
  explicit Repeating(std::unique_ptr<Mechanism> inner) : inner_(std::move(inner)) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<mechanism::UnbatchedTokens<Repeating>>(*this);
  }
  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    inner_->privatize(in, out, bits);
    for (std::size_t i = 1; i < in.size(); i += 2)
      if (in[i] == in[i - 1]) out[i] = out[i - 1];
  }
  Guarantee guarantee() const override { return inner_->guarantee(); }
  double distance(TokenId a, TokenId b) const override { return inner_->distance(a, b); }
  std::vector<double> row(TokenId word) const override { return inner_->row(word); }

 private:
  std::unique_ptr<Mechanism> inner_;
};

/// TEM with the score −γ + (2/ε)·ln(|W|/|L|) for the words beyond γ, as in the published code, where it must
/// be ln|W∖L|. L is the set of words within γ.
inline Rows wrong_tem_rows(std::size_t words, double epsilon, double gamma, const Distance& distance) {
  Rows rows;
  for (TokenId x = 0; x <= words; ++x) {
    std::vector<double> row(words);
    std::size_t near = 0;
    for (TokenId y = 0; y < words; ++y) near += distance(x, y) <= gamma ? 1U : 0U;
    const auto n = static_cast<double>(words);
    const auto l = static_cast<double>(near);
    const double far = near == 0 ? 1 : std::exp(-epsilon / 2 * gamma) * n / l;
    double sum = near == words ? 0 : far;
    for (TokenId y = 0; y < words; ++y)
      if (distance(x, y) <= gamma) sum += std::exp(-epsilon / 2 * distance(x, y));
    for (TokenId y = 0; y < words; ++y)
      row[y] = (distance(x, y) <= gamma ? std::exp(-epsilon / 2 * distance(x, y)) : far / (n - l)) / sum;
    rows.push_back(row);
  }
  return rows;
}

/// Adds `share` times the row of two-sided geometric noise on `order`, clamped to its ends, for `place`.
inline void add_list_law(const std::vector<TokenId>& order, std::size_t place, double epsilon, double share,
                         std::vector<double>& row) {
  const double q = std::exp(-epsilon);
  const std::size_t last = order.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto steps = static_cast<double>(i > place ? i - place : place - i);
    const bool end = i == 0 || i == last;
    row[order[i]] += share * std::pow(q, steps) * (end ? 1 / (1 + q) : (1 - q) / (1 + q));
  }
}

/// Two lists, but words with an odd id are missing from the second and use only the first.
inline Rows dropped_list_rows(const std::vector<TokenId>& first, const std::vector<TokenId>& second,
                              double epsilon) {
  const auto place = [](const std::vector<TokenId>& order, TokenId word) {
    const auto found = std::find(order.begin(), order.end(), word);
    return found == order.end() ? order.size() / 2 : static_cast<std::size_t>(found - order.begin());
  };
  Rows rows;
  for (TokenId x = 0; x <= first.size(); ++x) {
    std::vector<double> row(first.size());
    const bool in_both = x % 2 == 0;
    add_list_law(first, place(first, x), epsilon, in_both ? 0.5 : 1, row);
    if (in_both) add_list_law(second, place(second, x), epsilon, 0.5, row);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace sotto::testing
