#include "mechanisms/loss/pair_loss.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "mechanisms/selection/selection.hpp"
#include "random/mpfr_real.hpp"

namespace sotto::mechanism {
namespace {

tl::unexpected<Error> no_loss(const char* why) {
  return fail(Errc::bad_format, why);
}

constexpr const char* kNoDistance = "its inputs have no distance";
constexpr const char* kImpossible = "its output is impossible for one of its inputs";

std::uint32_t apart(std::uint32_t a, std::uint32_t b) {
  return a > b ? a - b : b - a;
}

PairLoss loss_of(std::span<const LossFraction> parts, const ExactDistance& distance) {
  return {distance.value(), mixture_loss_per_distance(parts, {}).upper,
          mixture_loss_per_distance(parts, distance)};
}

std::uint64_t weight_at(const IndexWeights& weights, std::uint32_t distance) {
  return distance < weights.near.size() ? weights.near[distance] : weights.far;
}

/// The total weight of all places of a list for an input at `place`.
std::uint64_t total_at(const IndexWeights& weights, std::uint32_t words, std::uint32_t place) {
  const auto reach = static_cast<std::uint32_t>(std::min<std::size_t>(weights.near.size(), words));
  std::uint64_t total = 0;
  std::uint32_t counted = 0;
  for (std::uint32_t distance = 0; distance < reach; ++distance) {
    const std::uint32_t before = distance <= place ? 1 : 0;
    const std::uint32_t after = distance > 0 && distance < words - place ? 1 : 0;
    const std::uint32_t sides = before + after;
    total += sides * weights.near[distance];
    counted += sides;
  }
  return total + std::uint64_t{words - counted} * weights.far;
}

/// P(clamped place = output | place) under two-sided geometric noise, q = exp(−ε): (1 − q)/(1 + q)·q^|k|
/// inside the list, q^|k|/(1 + q) at its ends; rounded in the given direction.
void clamped_geometric(random::MpfrReal& out, double epsilon, std::uint32_t last, std::uint32_t output,
                       std::uint32_t place, mpfr_rnd_t rounding) {
  const mpfr_rnd_t opposite = rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
  random::MpfrReal q(kLossPrecision);
  random::MpfrReal denominator(kLossPrecision);
  mpfr_set_d(q, -epsilon, MPFR_RNDN);
  mpfr_mul_ui(out, q, apart(output, place), MPFR_RNDN);  // exact: 53 and 32 bits
  mpfr_exp(out, out, rounding);
  mpfr_exp(q, q, opposite);  // a smaller q makes both probabilities greater
  mpfr_add_ui(denominator, q, 1, opposite);
  if (output != 0 && output != last) {
    mpfr_ui_sub(q, 1, q, rounding);
    mpfr_mul(out, out, q, rounding);
  }
  mpfr_div(out, out, denominator, rounding);
}

/// The probability of an output under the mixture of the lists, times the number of lists.
void mixed_geometric(random::MpfrReal& out, const GeometricRows& rows, TokenId output, TokenId input,
                     mpfr_rnd_t rounding) {
  const ListChoice& lists = rows.lists;
  random::MpfrReal part(kLossPrecision);
  mpfr_set_zero(out, 1);
  for (std::uint32_t l = 0; l < lists.size(); ++l) {
    clamped_geometric(part, rows.epsilon, lists.words() - 1, lists.place(l, output), lists.place(l, input),
                      rounding);
    mpfr_add(out, out, part, rounding);
  }
}

class WitnessVisitor final : public RowVisitor {
 public:
  explicit WitnessVisitor(const Witness& witness) : witness_(witness) {}

  const PairLoss& found() const { return found_; }

  Result<void> visit(const MetricRows& rows) override {
    const Selection& selection = rows.selection;
    const auto [input, other, output] = witness_;
    const std::vector<std::uint64_t> row = selection.weights(input);
    const std::vector<std::uint64_t> other_row = selection.weights(other);
    // ⊥ is not an outcome, so the distance is taken from its own row.
    const TokenId bottom = selection.model().bottom();
    std::vector<std::int64_t> squared(selection.outcomes());
    const TokenId from = other == bottom ? other : input;
    selection.squared_distances({&from, 1}, squared);
    const ExactDistance distance{selection.model().scale(), squared[from == other ? input : other],
                                 rows.limit};
    const LossFraction fraction{row[output], total(row), other_row[output], total(other_row)};
    return take({&fraction, 1}, distance);
  }

  Result<void> visit(const PlaceRows& rows) override {
    const ListChoice& lists = rows.lists;
    std::vector<LossFraction> parts;
    for (std::uint32_t l = 0; l < lists.size(); ++l) {
      const std::uint32_t y = lists.place(l, witness_.output);
      const std::uint32_t x = lists.place(l, witness_.input);
      const std::uint32_t other = lists.place(l, witness_.other);
      parts.push_back({weight_at(rows.weights, apart(x, y)), total_at(rows.weights, lists.words(), x),
                       weight_at(rows.weights, apart(other, y)),
                       total_at(rows.weights, lists.words(), other)});
    }
    const auto places = static_cast<std::int64_t>(lists.distance(witness_.input, witness_.other));
    return take(parts, {1, places * places, rows.limit});
  }

  /// The sampler is exact for the double ε, so no integers are involved.
  Result<void> visit(const GeometricRows& rows) override {
    const auto places = static_cast<std::int64_t>(rows.lists.distance(witness_.input, witness_.other));
    if (places == 0) return no_loss(kNoDistance);
    const random::MpfrCleanup cleanup;
    random::MpfrReal loss(kLossPrecision);
    found_.distance = static_cast<double>(places);
    geometric_loss(loss, rows, MPFR_RNDU);
    found_.loss = mpfr_get_d(loss, MPFR_RNDU);
    mpfr_div_si(loss, loss, places, MPFR_RNDU);
    found_.per_distance.upper = mpfr_get_d(loss, MPFR_RNDU);
    geometric_loss(loss, rows, MPFR_RNDD);
    mpfr_div_si(loss, loss, places, MPFR_RNDD);
    found_.per_distance.lower = mpfr_get_d(loss, MPFR_RNDD);
    return {};
  }

  Result<void> visit(const PureRows& rows) override {
    const auto holds_both = [&](const std::vector<TokenId>& group) {
      return std::find(group.begin(), group.end(), witness_.input) != group.end() &&
             std::find(group.begin(), group.end(), witness_.other) != group.end();
    };
    if (std::none_of(rows.groups.begin(), rows.groups.end(), holds_both))
      return no_loss("its inputs are not of one group");
    const PureRow row = rows.row(witness_.input);
    const PureRow other = rows.row(witness_.other);
    const LossFraction fraction{weight(row), row.total, weight(other), other.total};
    return take({&fraction, 1}, {});
  }

 private:
  static std::uint64_t total(const std::vector<std::uint64_t>& row) {
    return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
  }

  std::uint64_t weight(const PureRow& row) const {
    const auto found = std::find(row.words.begin(), row.words.end(), witness_.output);
    if (found == row.words.end()) return row.rest;
    const auto place = static_cast<std::size_t>(found - row.words.begin());
    return row.cumulative[place] - (place == 0 ? 0 : row.cumulative[place - 1]);
  }

  Result<void> take(std::span<const LossFraction> parts, const ExactDistance& distance) {
    if (distance.value() == 0) return no_loss(kNoDistance);
    for (const LossFraction& part : parts)
      if (part.weight == 0 || part.other_weight == 0) return no_loss(kImpossible);
    found_ = loss_of(parts, distance);
    return {};
  }

  void geometric_loss(random::MpfrReal& out, const GeometricRows& rows, mpfr_rnd_t rounding) const {
    random::MpfrReal denominator(kLossPrecision);
    mixed_geometric(out, rows, witness_.output, witness_.input, rounding);
    mixed_geometric(denominator, rows, witness_.output, witness_.other,
                    rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU);
    mpfr_div(out, out, denominator, rounding);
    mpfr_log(out, out, rounding);
  }

  Witness witness_;
  PairLoss found_;
};

}  // namespace

Result<PairLoss> pair_loss(const Mechanism& mechanism, const Model& model, const Witness& witness) {
  const auto [input, other, output] = witness;
  if (input > model.bottom() || other > model.bottom() || output >= model.size())
    return no_loss("it names words that the model does not have");
  if (input == other) return no_loss(kNoDistance);
  WitnessVisitor visitor(witness);
  SOTTO_TRY(show_rows(mechanism, visitor));
  return visitor.found();
}

}  // namespace sotto::mechanism
