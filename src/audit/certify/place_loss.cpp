// Mechanisms on word lists. The law on a list depends on the places alone and is the same for all lists of a
// set, so one list represents all: if ln(P_l(y|x)/P_l(y|x′)) <= c·d_l(x, x′) on each list l, the same holds
// with d = max_l d_l for the mixture (1/L)·Σ_l P_l, term by term. That is sound, not tight: no pair need be
// that near on every list. What a pair really attains is found by trying many.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "audit/certify/privacy_loss.hpp"
#include "mechanisms/lists/list_choice.hpp"

namespace sotto::audit {
namespace {

/// P(output place | input place) on one list, in floating point.
using PlaceLaw = std::function<long double(std::uint32_t output, std::uint32_t place)>;

std::uint32_t apart(std::uint32_t a, std::uint32_t b) {
  return a > b ? a - b : b - a;
}

std::uint32_t largest_distance(const mechanism::ListChoice& lists, TokenId a, TokenId b) {
  std::uint32_t largest = 0;
  for (std::uint32_t l = 0; l < lists.size(); ++l)
    largest = std::max(largest, apart(lists.place(l, a), lists.place(l, b)));
  return largest;
}

/// The pair of words, with the first of them as output, that has the greatest loss per unit of distance among
/// those that are a power of two of places apart on some list.
struct TriedPair {
  TokenId input = 0;
  TokenId other = 0;
  double per_distance = 0;
};

TriedPair try_pairs(const mechanism::ListChoice& lists, double limit, const PlaceLaw& law) {
  TriedPair best;
  const auto try_pair = [&](TokenId x, TokenId other) {
    long double here = 0;
    long double there = 0;
    for (std::uint32_t l = 0; l < lists.size(); ++l) {
      here += law(lists.place(l, x), lists.place(l, x));
      there += law(lists.place(l, x), lists.place(l, other));
    }
    const double distance = std::min<double>(largest_distance(lists, x, other), limit);
    const auto loss = static_cast<double>(std::log(here / there)) / distance;
    if (distance > 0 && std::isfinite(loss) && loss > best.per_distance) best = {x, other, loss};
  };
  for (std::uint32_t l = 0; l < lists.size(); ++l)
    for (std::uint32_t step = 1; step < lists.words(); step *= 2)
      for (std::uint32_t i = 0; i + step < lists.words(); ++i) {
        try_pair(lists.word_at(l, i), lists.word_at(l, i + step));
        try_pair(lists.word_at(l, i + step), lists.word_at(l, i));
      }
  return best;
}

std::uint64_t pair_count(const mechanism::ListChoice& lists) {
  return std::uint64_t{lists.words()} * (lists.words() + 1ULL) / 2;
}

constexpr const char* kMixture = "; the largest over the lists, which bounds their mixture";

/// One list with a table of weights by distance.
class PlaceSearch {
 public:
  explicit PlaceSearch(const mechanism::PlaceRows& rows)
      : rows_(rows), near_(rows.weights.near), words_(rows.lists.words()), reach_(near_.size()) {
    std::uint64_t sum = 0;
    std::vector<std::uint64_t> sums = {0};
    for (const std::uint64_t weight : near_) sums.push_back(sum += weight);
    for (std::uint64_t place = 0; place < words_; ++place) {
      if (reach_ == 0) {
        totals_.push_back(words_ * rows.weights.far);
        continue;
      }
      const std::uint64_t before = std::min<std::uint64_t>(place, reach_ - 1);
      const std::uint64_t after = std::min<std::uint64_t>(words_ - 1 - place, reach_ - 1);
      totals_.push_back(sums[before + 1] + sums[after + 1] - near_[0] +
                        (words_ - 1 - before - after) * rows.weights.far);
    }
  }

  PrivacyLoss run() {
    PrivacyLoss found;
    found.inputs = words_ + 1;
    found.pairs = pair_count(rows_.lists);
    found.equal_inputs = 1;  // ⊥ has the place of a word
    found.method = fmt::format("every distance of places, from the table of integer weights{}",
                               rows_.lists.size() > 1 ? kMixture : "");
    if (rows_.limit == 0 || reach_ == 0) return found;  // all inputs have the same row
    const std::uint64_t most = std::min<std::uint64_t>(reach_, words_);
    for (std::uint64_t m = 1; m < most; ++m) add(found, m, worst_weights(m), worst_places(m));
    if (reach_ < words_) add_far(found);
    if (rows_.lists.size() > 1) find_attained(found);
    return found;
  }

  std::uint64_t weight(std::uint64_t distance) const {
    return distance < reach_ ? near_[distance] : rows_.weights.far;
  }
  std::uint64_t total(std::uint64_t place) const { return totals_[place]; }

 private:
  mechanism::ExactDistance distance(std::uint64_t m) const {
    return {1, static_cast<std::int64_t>(m * m), rows_.limit};
  }

  /// Weights of the output for the two inputs. An output between inputs m apart, at a from the first, has
  /// weights near[a] <= near[0] and near[m − a] >= near[m]; so the worst is at or beyond the first input.
  std::uint64_t worst_weights(std::uint64_t m) const {
    std::uint64_t worst = 0;
    for (std::uint64_t a = 1; a < reach_ && a + m < words_; ++a)
      if (mechanism::less(weight(worst), weight(worst + m), weight(a), weight(a + m))) worst = a;
    return worst;
  }

  /// The place of the first input where total(place + m)/total(place) is largest. Totals grow from the end to
  /// the middle of the list, and those beyond the reach of both ends are equal; the other half is the mirror
  /// image.
  std::uint64_t worst_places(std::uint64_t m) const {
    std::uint64_t worst = 0;
    const std::uint64_t end = 2 * reach_ <= words_ ? std::min(reach_, words_ - m) : words_ - m;
    for (std::uint64_t j = 1; j < end; ++j)
      if (mechanism::less(totals_[worst + m], totals_[worst], totals_[j + m], totals_[j])) worst = j;
    return worst;
  }

  /// Inputs m apart: the bound combines the worst output with the worst places, each taken separately; the
  /// output at the first input nearly attains it.
  void add(PrivacyLoss& found, std::uint64_t m, std::uint64_t output, std::uint64_t place) {
    const mechanism::LossFraction bound{weight(output), totals_[place], weight(output + m),
                                        totals_[place + m]};
    found.epsilon = std::max(found.epsilon, mechanism::loss_per_distance(bound, distance(m)).upper);
    keep(found, place, place + m);
  }

  /// Inputs farther apart than the table reaches.
  void add_far(PrivacyLoss& found) {
    const auto [least, most] = std::minmax_element(totals_.begin(), totals_.end());
    const mechanism::LossFraction bound{near_[0], *least, rows_.weights.far, *most};
    found.epsilon = std::max(found.epsilon, mechanism::loss_per_distance(bound, distance(reach_)).upper);
    const auto middle = static_cast<std::uint64_t>(most - totals_.begin());
    keep(found, 0, std::max(middle, reach_));
    keep(found, 0, reach_);
  }

  void keep(PrivacyLoss& found, std::uint64_t place, std::uint64_t other) const {
    if (rows_.lists.size() > 1) return;
    const mechanism::LossFraction fraction{near_[0], totals_[place], weight(other - place), totals_[other]};
    const auto word = [&](std::uint64_t at) {
      return rows_.lists.word_at(0, static_cast<std::uint32_t>(at));
    };
    const mechanism::ExactDistance exact = distance(other - place);
    found.worst.keep({word(place), word(other), word(place), exact.value(),
                      mechanism::loss_bounds(fraction).upper, mechanism::loss_per_distance(fraction, exact)});
  }

  void find_attained(PrivacyLoss& found) const {
    const mechanism::ListChoice& lists = rows_.lists;
    const TriedPair pair = try_pairs(lists, rows_.limit, [&](std::uint32_t output, std::uint32_t place) {
      return static_cast<long double>(weight(apart(output, place))) / static_cast<long double>(total(place));
    });
    if (pair.input == pair.other) return;
    std::vector<mechanism::LossFraction> parts;
    for (std::uint32_t l = 0; l < lists.size(); ++l) {
      const std::uint32_t x = lists.place(l, pair.input);
      const std::uint32_t other = lists.place(l, pair.other);
      parts.push_back({weight(0), total(x), weight(apart(x, other)), total(other)});
    }
    const mechanism::ExactDistance exact = distance(largest_distance(lists, pair.input, pair.other));
    const double loss = mechanism::mixture_loss_per_distance(parts, {}).upper;
    found.worst = {pair.input,    pair.other, pair.input,
                   exact.value(), loss,       mechanism::mixture_loss_per_distance(parts, exact)};
  }

  const mechanism::PlaceRows& rows_;
  const std::vector<std::uint64_t>& near_;
  std::uint64_t words_;
  std::uint64_t reach_;  ///< from this distance on all weights are `far`
  std::vector<std::uint64_t> totals_;
};

/// P(clamped place = output | place), q = exp(−ε): (1 − q)/(1 + q)·q^|k| inside, q^k/(1 + q) at an end that
/// is k away.
long double clamped_geometric(long double epsilon, std::uint32_t last, std::uint32_t output,
                              std::uint32_t place) {
  const long double power = std::exp(-epsilon * apart(output, place));
  const long double q = std::exp(-epsilon);
  const bool is_end = output == 0 || output == last;
  return is_end ? power / (1 + q) : (1 - q) / (1 + q) * power;
}

}  // namespace

Result<PrivacyLoss> find_place_loss(const mechanism::PlaceRows& rows) {
  return PlaceSearch(rows).run();
}

/// On one list, the probability of a place changes by at most the factor exp(ε·m) when the input moves by m
/// places, ends included, and by exactly that at the input itself. The sampler is exact for the double ε, so
/// there is no rounding.
Result<PrivacyLoss> find_geometric_loss(const mechanism::GeometricRows& rows) {
  const mechanism::ListChoice& lists = rows.lists;
  PrivacyLoss found;
  found.inputs = lists.words() + 1ULL;
  found.pairs = pair_count(lists);
  found.equal_inputs = 1;
  found.method =
      fmt::format("closed form of the law of an exact sampler{}", lists.size() > 1 ? kMixture : "");
  if (lists.words() < 2) return found;
  found.epsilon = rows.epsilon;
  if (lists.size() == 1) {
    found.worst = {lists.word_at(0, 0), lists.word_at(0, 1),         lists.word_at(0, 0), 1,
                   rows.epsilon,        {rows.epsilon, rows.epsilon}};
    return found;
  }
  const auto infinity = std::numeric_limits<double>::infinity();
  const TriedPair pair = try_pairs(lists, infinity, [&](std::uint32_t output, std::uint32_t place) {
    return clamped_geometric(rows.epsilon, lists.words() - 1, output, place);
  });
  if (pair.input == pair.other) return found;
  // Long double errs by far less than one part in 10^9.
  const double distance = largest_distance(lists, pair.input, pair.other);
  const mechanism::Bounds bounds{pair.per_distance * (1 - 1e-9), pair.per_distance * (1 + 1e-9)};
  found.worst = {pair.input, pair.other, pair.input, distance, bounds.upper * distance, bounds};
  return found;
}

}  // namespace sotto::audit
