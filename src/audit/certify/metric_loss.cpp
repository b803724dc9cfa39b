// All pairs of inputs of a selection mechanism. A first pass prepares every row
// (audit/certify/loss_bounds.hpp). A second one examines every pair with a bound that costs a few operations,
// and keeps those whose bound is above what some pair is known to attain. These few are then evaluated
// exactly, over all outputs, from the integers that are sampled, greatest bound first, until no bound is
// above what was attained.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "audit/certify/loss_bounds.hpp"
#include "audit/certify/privacy_loss.hpp"
#include "base/parallel.hpp"
#include "base/work_meter.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kMostRowsAtOnce = 24;
constexpr std::size_t kMostSquaredBytes = std::size_t{16} << 20;
// Rows examined first, to have something to compare with.
constexpr std::size_t kSeeds = 64;
// Pairs that are evaluated exactly; if they do not suffice, the bound of the next one is the certificate.
constexpr std::size_t kMostExact = 8192;
constexpr std::size_t kMostKept = 4 * kMostExact;
// Pairs of inputs at distance 0 whose rows are compared weight by weight.
constexpr std::size_t kMostCompared = 256;
// The scan computes in double precision; its values are rounded up by more than its possible error.
constexpr double kScanMargin = 1 + 0x1p-46;

/// A pair whose loss may be the largest; `bound` is on its loss per unit of distance.
struct Suspect {
  std::uint32_t i;
  std::uint32_t j;
  std::int64_t squared;
  double bound;
};

class MetricSearch {
 public:
  MetricSearch(const mechanism::MetricRows& rows, const SearchOptions& options)
      : selection_(rows.selection),
        limit_(rows.limit),
        scale_(selection_.model().scale()),
        threads_(base::thread_count(options.threads)),
        inputs_(choose_inputs(options.sample)),
        rows_at_once_(
            std::clamp<std::size_t>(kMostSquaredBytes / (8 * selection_.outcomes()), 1, kMostRowsAtOnce)),
        bounds_(selection_, inputs_.size()),
        meter_(options.progress, 2 * inputs_.size()) {}

  Result<PrivacyLoss> run() {
    SOTTO_TRY(prepare());
    set_source();
    seed();
    SOTTO_TRY(scan());
    SOTTO_TRY(check_equal_rows());
    evaluate_suspects();
    const std::uint64_t n = inputs_.size();
    found_.inputs = n;
    found_.pairs = n * (n - 1) / 2;
    found_.equal_inputs = equal_.size();
    found_.method =
        "every pair of inputs, by bounds on its loss; exactly, over all outputs, from the integer weights "
        "wherever a bound was above what is attained";
    return std::move(found_);
  }

 private:
  std::vector<TokenId> choose_inputs(std::uint64_t sample) const {
    const std::uint64_t all = selection_.model().size() + 1ULL;
    const std::uint64_t count = sample == 0 ? all : std::min(sample, all);
    std::vector<TokenId> inputs;
    // Evenly through the vocabulary, which is mostly ordered by frequency; ⊥ is last and always included.
    for (std::uint64_t i = 1; i <= count; ++i) inputs.push_back(static_cast<TokenId>(i * all / count - 1));
    return inputs;
  }

  bool is_word(std::size_t i) const { return inputs_[i] != selection_.model().bottom(); }

  mechanism::ExactDistance distance(std::int64_t squared) const { return {scale_, squared, limit_}; }

  /// Calls body(i, squared distances of all words from input i) for all inputs, on all threads.
  template <class Body>
  Result<void> for_rows(const Body& body) {
    base::parallel_for(inputs_.size(), rows_at_once_, threads_, [&](std::size_t begin, std::size_t end) {
      if (meter_.stopped()) return;
      std::vector<std::int64_t> squared((end - begin) * selection_.outcomes());
      selection_.squared_distances(std::span(inputs_).subspan(begin, end - begin), squared);
      for (std::size_t i = begin; i < end; ++i)
        body(i, std::span(squared).subspan((i - begin) * selection_.outcomes(), selection_.outcomes()));
      meter_.add(end - begin);
    });
    return meter_.result();
  }

  Result<void> prepare() {
    return for_rows(
        [&](std::size_t i, std::span<const std::int64_t> squared) { bounds_.prepare(i, squared); });
  }

  /// The bounds of the pairs (i, j), j < i, per unit of distance; 0 at distance 0. `squared` holds those of
  /// all words and becomes those of the inputs j.
  void bound_pairs(std::size_t i, std::span<std::int64_t> squared, std::vector<double>& values) const {
    if (inputs_.size() <= selection_.outcomes())
      for (std::size_t j = 0; j < i; ++j) squared[j] = squared[inputs_[j]];
    values.resize(i);
    const double slope = selection_.distance_weights().slope();
    const double cap = selection_.distance_weights().cap();
    const double* highest = bounds_.highest().data();
    const double* lowest = bounds_.lowest().data();
    for (std::size_t j = 0; j < i; ++j) {
      const double root = std::sqrt(static_cast<double>(squared[j]));
      const double exponent = std::min(slope * root, cap);
      const double apart = std::min(scale_ * root, limit_);
      const double shift = std::max(highest[i] - lowest[j], highest[j] - lowest[i]);
      values[j] = apart > 0 ? (exponent + shift) / apart * kScanMargin : 0;
    }
  }

  /// What the pair is known to attain, per unit of distance.
  void raise_attained(std::size_t i, std::size_t j, std::int64_t squared) {
    const double apart = distance(squared).value() * kScanMargin;
    double loss = 0;
    if (is_word(i)) loss = std::max(loss, bounds_.loss_at_itself(i, j, squared));
    if (is_word(j)) loss = std::max(loss, bounds_.loss_at_itself(j, i, squared));
    double known = attained_;
    while (loss / apart > known && !attained_.compare_exchange_weak(known, loss / apart)) {
    }
  }

  void set_source() {
    std::vector<std::int64_t> squared(selection_.outcomes());
    selection_.squared_distances({&inputs_.back(), 1}, squared);
    bounds_.set_source(inputs_.size() - 1, squared);
  }

  void seed() {
    const std::size_t step = std::max<std::size_t>(1, inputs_.size() / kSeeds);
    const std::size_t count = (inputs_.size() - 1) / step;
    base::parallel_for(count, 1, threads_, [&](std::size_t begin, std::size_t) {
      const std::size_t i = inputs_.size() - 1 - begin * step;
      std::vector<std::int64_t> squared(selection_.outcomes());
      std::vector<double> values;
      selection_.squared_distances({&inputs_[i], 1}, squared);
      bound_pairs(i, squared, values);
      raise_by_largest(i, squared, values);
    });
  }

  void raise_by_largest(std::size_t i, std::span<const std::int64_t> squared,
                        const std::vector<double>& values) {
    const auto largest = std::max_element(values.begin(), values.end());
    if (largest == values.end() || *largest <= attained_) return;
    const auto j = static_cast<std::size_t>(largest - values.begin());
    raise_attained(i, j, squared[j]);
  }

  /// ⊥ comes last, once the bounds on its row's loss against every other row are known.
  Result<void> scan() {
    const std::size_t bottom = inputs_.size() - 1;
    from_bottom_.resize(bottom);
    std::vector<std::int64_t> of_bottom;
    SOTTO_TRY(for_rows([&](std::size_t i, std::span<std::int64_t> squared) {
      if (i == bottom) {
        of_bottom.assign(squared.begin(), squared.end());
      } else {
        from_bottom_[i] = bounds_.loss_from_source(i, squared);
        scan_row(i, squared);
      }
    }));
    scan_row(bottom, of_bottom);
    return {};
  }

  void scan_row(std::size_t i, std::span<std::int64_t> squared) {
    std::vector<double> values;
    bound_pairs(i, squared, values);
    raise_by_largest(i, squared, values);
    std::optional<std::size_t> equal;
    for (std::size_t j = 0; j < i; ++j) {
      if (values[j] > attained_.load(std::memory_order_relaxed)) {
        consider(i, j, squared[j]);
      } else if (values[j] == 0 && !equal && distance(squared[j]).value() == 0) {
        equal = j;
      }
    }
    if (equal) add_equal(i, *equal);
  }

  void consider(std::size_t i, std::size_t j, std::int64_t squared) {
    raise_attained(i, j, squared);
    const double apart = distance(squared).value();
    const double enough = attained_ * apart / kScanMargin;
    double forward = is_word(i) ? INFINITY : from_bottom_[j];
    if (forward > enough) forward = std::min(forward, bounds_.loss_bound(i, j, squared, enough));
    const double loss = std::max(forward, bounds_.loss_bound(j, i, squared, enough));
    const double bound = loss / apart * kScanMargin;
    if (bound <= attained_) return;
    const std::lock_guard lock(mutex_);
    suspects_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), squared, bound});
    if (suspects_.size() >= 2 * kMostKept) sort_suspects();
  }

  /// Greatest bound first; keeps at most kMostKept.
  void sort_suspects() {
    std::erase_if(suspects_, [&](const Suspect& suspect) { return suspect.bound <= attained_; });
    std::sort(suspects_.begin(), suspects_.end(), [](const Suspect& a, const Suspect& b) {
      return std::tuple(-a.bound, a.i, a.j) < std::tuple(-b.bound, b.i, b.j);
    });
    if (suspects_.size() <= kMostKept) return;
    rest_bound_ = std::max(rest_bound_, suspects_[kMostKept].bound);
    suspects_.resize(kMostKept);
  }

  void add_equal(std::size_t i, std::size_t j) {
    const std::lock_guard lock(mutex_);
    equal_.emplace_back(i, j);
  }

  /// Inputs at distance 0 must have identical rows: nothing else satisfies the guarantee. Rows are computed
  /// from the distances alone, so after some have been compared weight by weight it suffices that the rest
  /// were prepared alike. (With a metric cut off at 0 they were not, but are equal nevertheless.)
  Result<void> check_equal_rows() const {
    for (std::size_t k = 0; k < equal_.size(); ++k) {
      const auto [i, j] = equal_[k];
      if (k >= kMostCompared && bounds_.same_row(i, j)) continue;
      if (selection_.weights(inputs_[i]) != selection_.weights(inputs_[j]))
        return fail(
            Errc::bad_format,
            fmt::format("inputs {} and {} have distance 0 and different rows: there is no certificate",
                        inputs_[i], inputs_[j]));
    }
    return {};
  }

  void evaluate_suspects() {
    sort_suspects();
    const std::size_t batch = 4 * threads_;
    std::size_t next = 0;
    const auto worth_it = [&] {
      return next < suspects_.size() && suspects_[next].bound > found_.worst.per_distance.lower;
    };
    while (worth_it() && next < kMostExact) {
      const std::size_t count = std::min(batch, suspects_.size() - next);
      std::vector<WorstPair> pairs(count);
      base::parallel_for(count, 1, threads_,
                         [&](std::size_t k, std::size_t) { pairs[k] = evaluate(suspects_[next + k]); });
      for (const WorstPair& pair : pairs) found_.worst.keep(pair);
      next += count;
    }
    found_.exact_pairs = next;
    found_.epsilon = std::max(found_.worst.per_distance.upper, rest_bound_);
    if (worth_it()) found_.epsilon = std::max(found_.epsilon, suspects_[next].bound);
  }

  WorstPair evaluate(const Suspect& suspect) const {
    const std::vector<std::uint64_t> row = selection_.weights(inputs_[suspect.i]);
    const std::vector<std::uint64_t> other = selection_.weights(inputs_[suspect.j]);
    const std::uint64_t total = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    const std::uint64_t other_total = std::accumulate(other.begin(), other.end(), std::uint64_t{0});
    const mechanism::WorstOutputs outputs = mechanism::worst_outputs(row, other);
    WorstPair pair = ordered_pair(suspect, inputs_[suspect.i], inputs_[suspect.j], outputs.forward,
                                  {row[outputs.forward], total, other[outputs.forward], other_total});
    pair.keep(ordered_pair(suspect, inputs_[suspect.j], inputs_[suspect.i], outputs.backward,
                           {other[outputs.backward], other_total, row[outputs.backward], total}));
    return pair;
  }

  WorstPair ordered_pair(const Suspect& suspect, TokenId input, TokenId other, std::size_t output,
                         const mechanism::LossFraction& fraction) const {
    const mechanism::ExactDistance apart = distance(suspect.squared);
    return {input,
            other,
            static_cast<TokenId>(output),
            apart.value(),
            mechanism::loss_bounds(fraction).upper,
            mechanism::loss_per_distance(fraction, apart)};
  }

  const mechanism::Selection& selection_;
  double limit_;
  double scale_;
  unsigned threads_;
  std::vector<TokenId> inputs_;  ///< ascending; ⊥ is the last
  std::size_t rows_at_once_;
  LossBounds bounds_;
  base::WorkMeter meter_;
  std::atomic<double> attained_ = 0;
  std::vector<double> from_bottom_;  ///< bounds on what ⊥ loses against each other input
  std::mutex mutex_;                 ///< guards what follows
  std::vector<Suspect> suspects_;
  double rest_bound_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> equal_;
  PrivacyLoss found_;
};

}  // namespace

Result<PrivacyLoss> find_metric_loss(const mechanism::MetricRows& rows, const SearchOptions& options) {
  const std::uint64_t all = rows.selection.model().size() + 1ULL;
  const std::uint64_t inputs = options.sample == 0 ? all : std::min(options.sample, all);
  const std::uint64_t needed = inputs * LossBounds::bytes_per_row(rows.selection);
  if (needed > options.memory)
    return fail_parameter("memory", fmt::to_string(options.memory),
                          fmt::format("{} MiB are needed for {} inputs, and {} are allowed; give more",
                                      (needed >> 20) + 1, inputs, options.memory >> 20),
                          Errc::limit);
  return MetricSearch(rows, options).run();
}

}  // namespace sotto::audit
