#include "lm/balanced_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "lm/balanced_kernel.hpp"
#include "lm/float_mode.hpp"
#include "privacy/rounding.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kTotal = std::uint64_t{1} << 61;
// Bounds are integers in doubles; the exponential and the product behind them err by a few units of 2^−53.
constexpr double kRoundDown = 1 - 0x1p-48;
// Larger scores are as good as infinite; clamping them keeps the search for the shift short.
constexpr float kLargestScore = 1e4F;
constexpr double kLargestExponent = 60;  // beyond this, the 61-bit integers set the bounds
constexpr double kLargestTotal = 700;    // ln; e^−700 · 2^61 is below 1
constexpr int kMostSteps = 100;
// Change of the shift, times slope and reach: below this, the third order changes no weight by more than
// 1e-5.
constexpr double kSmallStep = 0.1;
constexpr double kNearlySolved = 0.02;  // a step from here ends near kSmallStep
// u of the largest score, as first guessed.
constexpr double kSmallestShare = 0.55;
constexpr double kLargestShare = 0.9;
constexpr double kLargestGap = 2 * kLargestScore;
// Of listed outcomes: the sum of their largest weights over the sum that they are to have.
constexpr double kRoom = 1.5;

/// Where the shift is.
struct Bracket {
  double left;
  double right;

  /// The sum falls as the shift grows. False if nothing is left between the ends.
  bool narrow(double shift, double sum) {
    (sum > 1 ? left : right) = shift;
    return left < right;
  }
  double inside(double shift) const { return shift > left && shift < right ? shift : (left + right) / 2; }
};

/// The change of the shift that makes the sum 1, by its expansion to the second order.
double shift_change(const BalancedSum& sum) {
  const double missing = 1 - sum.weights;
  double change = missing / sum.first;
  for (int i = 0; i < 4; ++i) change = (missing - change * change / 2 * sum.second) / sum.first;
  return change;
}

}  // namespace

Result<BalancedLaw> BalancedLaw::make(const BoundedHead& head, double epsilon,
                                      std::vector<std::uint32_t> outcomes, std::span<const float> log_base) {
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  if (outcomes.empty()) return fail(Errc::bad_format, "the model has no word that could come out");
  BalancedLaw law(epsilon, std::move(outcomes));
  law.reach_ = std::min(epsilon, static_cast<double>(head.reach));
  law.slope_ = head.slope;
  law.log_total_ = head.log_total;
  if (!(law.slope_ > 0) || !(law.log_total_ > 0 && law.log_total_ < law.reach_))
    return fail(Errc::bad_format,
                fmt::format("the model's weights are to add up to e^{:g}; for a reach of {:g} the exponent "
                            "must lie between 0 and it",
                            law.log_total_, law.reach_));
  SOTTO_ASSIGN(law.base_, base_shares(law.outcomes(), log_base));
  const double measure = std::accumulate(law.base_.begin(), law.base_.end(), 0.0);
  for (double& base : law.base_) base /= measure;
  law.make_bounds();
  const double most = (law.log_total_ + random::portable_log(static_cast<double>(law.size()))) / law.reach_;
  law.gap_ = std::min(kLargestGap, law.place_of(std::clamp(most, kSmallestShare, kLargestShare)));
  const double growth = 1 + kLeftOut * random::portable_exp(std::min(law.log_total_, kLargestTotal));
  law.cut_ = law.place_of(std::min(kLargestShare, random::portable_log(growth) / law.reach_));
  return law;
}

void BalancedLaw::make_bounds() {
  const double most = random::portable_exp(std::min(epsilon(), kLargestExponent)) * kRoundDown;
  const double least = random::portable_exp(-std::min(log_total_, kLargestTotal));
  std::vector<std::uint64_t> lowest;
  Wide least_total = 0;
  Wide most_total = 0;
  for (const double base : base_) {
    low_.push_back(std::max(1.0, std::ceil(base * least * static_cast<double>(kTotal))));
    const double high = std::min(static_cast<double>(kTotal), std::floor(low_.back() * most));
    high_.push_back(std::max(low_.back(), high));
    lowest.push_back(static_cast<std::uint64_t>(low_.back()));
    least_total += lowest.back();
    most_total += static_cast<std::uint64_t>(high_.back());
  }
  total_ = static_cast<std::uint64_t>(std::clamp<Wide>(kTotal, least_total, most_total));
  publish(lowest);
}

/// Where sigmoid(slope · x) is `share`.
double BalancedLaw::place_of(double share) const {
  return random::portable_log(share / (1 - share)) / slope_;
}

/// The outcomes listed for a draw. In its memory.
struct BalancedLaw::Listed {
  std::size_t count = 0;
  BalancedTerms terms;       ///< padded with outcomes that have no base; weights are shares of the target
  Bracket bracket;           ///< of the shift
  std::uint64_t target = 0;  ///< what the weights have to add up to
  bool has_room = false;     ///< for them to do so
  double* low = nullptr;
  double* high = nullptr;
  double* weights = nullptr;  ///< to be computed
  double* shares = nullptr;   ///< u
};

BalancedLaw::Listed BalancedLaw::list(const ScoreRow& row, double threshold, LawMemory& memory) const {
  SelectedScores& selected = memory.selected;
  select_scores(row, static_cast<float>(threshold), selected);
  Listed listed;
  listed.count = selected.count;
  const std::size_t padded = (listed.count + kBalancedLanes - 1) / kBalancedLanes * kBalancedLanes;
  if (memory.numbers.size() < 6 * padded) memory.numbers.resize(6 * padded);
  double* const scores = memory.numbers.data();
  double* const base = scores + padded;
  listed.low = base + padded;
  listed.high = listed.low + padded;
  listed.weights = listed.high + padded;
  listed.shares = listed.weights + padded;
  double measure = 0;
  double most = 0;
  std::uint64_t least = 0;
  for (std::size_t k = 0; k < listed.count; ++k) {
    const std::uint32_t i = selected.places[k];
    scores[k] = selected.scores[k];
    measure += base[k] = base_[i];
    most += listed.high[k] = high_[i];
    listed.low[k] = low_[i];
    least += static_cast<std::uint64_t>(static_cast<std::int64_t>(low_[i]));
  }
  std::fill(scores + listed.count, scores + padded, scores[0]);
  std::fill(base + listed.count, base + padded, 0.0);
  listed.target = total_ - (published_before(size()) - least);
  const auto target = static_cast<double>(listed.target);
  listed.has_room = most >= kRoom * target;
  const double log_total = log_total_ + random::portable_log(target / static_cast<double>(total_));
  listed.terms = {scores, base, padded, slope_, reach_, log_total};
  // If all scores were equal, the solution would be here; so the two extremes bracket it for any scores.
  const double share = (log_total - random::portable_log(measure)) / reach_;
  const double offset = place_of(std::clamp(share, 0x1p-53, 1 - 0x1p-53));
  const ScoreRange range = range_of(scores, padded);
  listed.bracket = {range.least - offset, range.most - offset};
  return listed;
}

/// Nearly the shift for which the weights listed are what the others leave.
double BalancedLaw::near_shift(const Listed& listed, double shift) {
  Bracket bracket = listed.bracket;
  shift = bracket.inside(shift);
  for (int step = 0; step < kMostSteps; ++step) {
    const BalancedSum sum = balanced_sum(listed.terms, shift);
    if (!bracket.narrow(shift, sum.weights)) break;
    // A step of Newton's method on the logarithm of the sum, which is straighter than the sum.
    shift = bracket.inside(shift - random::portable_log(sum.weights) * sum.weights / sum.first);
    if (std::abs(sum.weights - 1) <= kNearlySolved) break;
  }
  return shift;
}

/// The weights listed, from a shift near theirs.
void BalancedLaw::solve(const Listed& listed, double shift) {
  const BalancedTerms& terms = listed.terms;
  Bracket bracket = listed.bracket;
  shift = bracket.inside(shift);
  for (int step = 0; step < kMostSteps; ++step) {
    const BalancedSum sum = balanced_weights(terms, shift, listed.weights, listed.shares);
    const double change = shift_change(sum);
    if (std::abs(change) * terms.slope * (1 + terms.reach) <= kSmallStep)
      return move_balanced_weights(terms, change, listed.shares, listed.weights);
    if (!bracket.narrow(shift, sum.weights)) return;
    shift = bracket.inside(shift + change);
  }
}

/// What rounding leaves over goes first to the heaviest weight, which is affected least.
void BalancedLaw::round(const Listed& listed, std::vector<std::uint64_t>& weights) const {
  const auto scale = static_cast<double>(listed.target);
  weights.resize(listed.count);
  Wide sum = 0;
  for (std::size_t k = 0; k < listed.count; ++k) {
    const double weight = std::min(std::max(scale * listed.weights[k], listed.low[k]), listed.high[k]);
    // Conversion to a signed number is a single instruction.
    weights[k] = static_cast<std::uint64_t>(static_cast<std::int64_t>(weight));
    sum += weights[k];
  }
  const auto heaviest =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  for (std::size_t n = 0; sum != listed.target; ++n) {
    const std::size_t k = (heaviest + n) % listed.count;
    const bool add = sum < listed.target;
    const auto bound = static_cast<std::uint64_t>(add ? listed.high[k] : listed.low[k]);
    const std::uint64_t room = add ? bound - weights[k] : weights[k] - bound;
    const Wide missing = add ? listed.target - sum : sum - listed.target;
    const auto moved = static_cast<std::uint64_t>(std::min<Wide>(room, missing));
    weights[k] = add ? weights[k] + moved : weights[k] - moved;
    sum = add ? sum + moved : sum - moved;
  }
}

Result<void> BalancedLaw::weigh(const ScaledAnswers& scores, LawMemory& memory, DrawWeights& out) const {
  const FloatMode mode;
  const ScoreRow row{in_order(scores.answers, memory).data(), size(), scores.factor, kLargestScore};
  const LargestScore largest = largest_score(row);
  if (!largest.all_numbers) return not_a_number();
  double threshold = 0;
  Listed listed;
  double gap = gap_;
  while (!listed.has_room && gap < 2 * kLargestGap) {
    threshold = largest.score - gap;
    listed = list(row, threshold, memory);
    gap *= 2;
  }
  const double shift = near_shift(listed, largest.score - gap_);
  if (shift + cut_ < threshold) listed = list(row, shift + cut_, memory);
  solve(listed, shift);
  const auto end = memory.selected.places.begin() + static_cast<std::ptrdiff_t>(listed.count);
  out.listed.assign(memory.selected.places.begin(), end);
  round(listed, out.weights);
  out.rest = total_ - listed.target;
  return {};
}

PublicLaw BalancedLaw::public_numbers() const {
  return {outcomes(), base_,  low_,       high_, static_cast<std::int64_t>(total_),
          reach_,     slope_, log_total_, gap_};
}

Guarantee BalancedLaw::guarantee() const {
  return pure_guarantee(privacy::multiply_up(epsilon(), epsilon()) / 2);
}

}  // namespace sotto::lm
