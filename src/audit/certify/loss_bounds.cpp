#include "audit/certify/loss_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::audit {
namespace {

// Long double arithmetic on numbers below 100 errs by less; added to every returned bound.
constexpr long double kMargin = 0x1p-50L;
// How often a range of distances is split before its bound is accepted.
constexpr int kMostCuts = 60;

/// The next number above or below.
double above(long double value) {
  return std::nextafter(static_cast<double>(value), INFINITY);
}
double below(long double value) {
  return std::nextafter(static_cast<double>(value), -INFINITY);
}

}  // namespace

LossBounds::LossBounds(const mechanism::Selection& selection, std::size_t inputs)
    : selection_(selection),
      slope_(selection.distance_weights().slope()),
      error_(static_cast<long double>(selection.weight_error()) * (1 + 0x1p-20L)),
      rows_(inputs),
      highest_(inputs),
      lowest_(inputs) {}

long double LossBounds::exact_exponent(std::int64_t squared) const {
  return std::min(slope_ * std::sqrt(static_cast<long double>(squared)),
                  static_cast<long double>(selection_.distance_weights().cap()));
}

double LossBounds::exponent(std::int64_t squared) const {
  return above(exact_exponent(squared));
}

std::uint64_t LossBounds::weight(const Row& row, std::int64_t squared) const {
  std::uint64_t weight = 0;
  selection_.rule().weights(row.state, {&squared, 1}, {&weight, 1});
  return weight;
}

long double LossBounds::upper_psi(const Row& row, std::int64_t squared) const {
  const auto least = static_cast<long double>(weight(row, squared));
  return std::log(least + 1) - row.log_total_low + exact_exponent(squared) + 2 * error_ + kMargin;
}

long double LossBounds::lower_psi(const Row& row, std::int64_t squared) const {
  const auto least = static_cast<long double>(weight(row, squared));
  return std::log(least) - row.log_total_high + exact_exponent(squared) - 1 / least - 2 * error_ - kMargin;
}

void LossBounds::bound_total(Row& row, std::span<const std::int64_t> squared) const {
  if (const long double total = selection_.rule().total(); total > 0) {
    row.log_total_low = std::log(total * (1 - error_) - static_cast<long double>(squared.size()));
    row.log_total_high = std::log(total * (1 + error_));
    return;
  }
  std::vector<std::uint64_t> weights(squared.size());
  selection_.rule().weights(row.state, squared, weights);
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  row.log_total_low = row.log_total_high = std::log(static_cast<long double>(total));
}

void LossBounds::prepare(std::size_t i, std::span<const std::int64_t> squared) {
  Row& row = rows_[i];
  row.state = selection_.rule().prepare(squared);
  bound_total(row, squared);
  const auto [nearest, farthest] = std::minmax_element(squared.begin(), squared.end());
  row.nearest = *nearest;
  row.farthest = *farthest;
  highest_[i] = above(upper_psi(row, row.nearest));
  lowest_[i] = below(lower_psi(row, row.farthest));
}

LossBounds::Range LossBounds::bounded(const Row& row, const Row& other, std::int64_t squared,
                                      std::int64_t from, std::int64_t to) const {
  const long double reach =
      std::sqrt(static_cast<long double>(to)) + std::sqrt(static_cast<long double>(squared));
  const auto reached = static_cast<std::int64_t>(std::ceil(reach * reach * (1 + 0x1p-60L)));
  const long double bound = exact_exponent(squared) + upper_psi(row, from) -
                            lower_psi(other, std::min(reached, other.farthest)) + kMargin;
  return {from, to, above(bound)};
}

/// Where p = exp(least exponent − exponent) is about half way, since ψ is a smooth function of p.
std::int64_t LossBounds::middle(const Row& row, const Range& range) const {
  const long double least = exact_exponent(row.nearest);
  const long double p =
      (std::exp(least - exact_exponent(range.from)) + std::exp(least - exact_exponent(range.to))) / 2;
  const long double root = (least - std::log(p)) / slope_;
  const long double squared = std::min(root * root, 0x1p60L);
  return std::clamp(static_cast<std::int64_t>(squared), range.from, range.to - 1);
}

double LossBounds::loss_bound(std::size_t i, std::size_t j, std::int64_t squared, double enough) const {
  const Row& row = rows_[i];
  const Row& other = rows_[j];
  std::vector<Range> ranges = {bounded(row, other, squared, row.nearest, row.farthest)};
  // If weights depend on the distance alone, ψ is constant and splitting gains nothing.
  const bool flat = selection_.rule().state_size() == 0;
  for (int cuts = 0; cuts < kMostCuts && !flat; ++cuts) {
    const Range worst = ranges.front();
    if (worst.bound <= enough || worst.from == worst.to) break;
    std::pop_heap(ranges.begin(), ranges.end());
    ranges.pop_back();
    const std::int64_t cut = middle(row, worst);
    for (const auto& [from, to] : {std::pair(worst.from, cut), std::pair(cut + 1, worst.to)}) {
      ranges.push_back(bounded(row, other, squared, from, to));
      std::push_heap(ranges.begin(), ranges.end());
    }
  }
  return ranges.front().bound;
}

void LossBounds::set_source(std::size_t i, std::span<const std::int64_t> squared) {
  std::vector<std::uint64_t> weights(squared.size());
  selection_.rule().weights(rows_[i].state, squared, weights);
  source_.clear();
  for (const std::uint64_t weight : weights)
    source_.push_back(above(std::log(static_cast<long double>(weight)) - rows_[i].log_total_low + kMargin));
}

double LossBounds::loss_from_source(std::size_t j, std::span<const std::int64_t> squared) const {
  const auto slope = static_cast<double>(slope_);
  const double cap = selection_.distance_weights().cap();
  constexpr std::size_t kLanes = 8;  // independent lanes, so that no comparison waits for the previous one
  double largest[kLanes] = {};
  std::fill_n(largest, kLanes, -INFINITY);
  for (std::size_t y = 0; y < squared.size(); ++y) {
    const double exponent = std::min(slope * std::sqrt(static_cast<double>(squared[y])), cap);
    largest[y % kLanes] = std::max(largest[y % kLanes], source_[y] + exponent);
  }
  // Double precision on numbers below 100 errs by less than 2^-44.
  return *std::max_element(largest, largest + kLanes) - lowest_[j] + 0x1p-43;
}

double LossBounds::loss_at_itself(std::size_t i, std::size_t j, std::int64_t squared) const {
  const Row& row = rows_[i];
  const Row& other = rows_[j];
  const long double loss = std::log(static_cast<long double>(weight(row, 0))) -
                           std::log(static_cast<long double>(weight(other, squared))) + other.log_total_low -
                           row.log_total_high;
  return below(loss - kMargin);
}

bool LossBounds::same_row(std::size_t i, std::size_t j) const {
  return rows_[i] == rows_[j];
}

}  // namespace sotto::audit
