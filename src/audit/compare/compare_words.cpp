// How well the outputs of a mechanism tell two words apart, beside what it promises.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include <sotto/explain.hpp>
#include <sotto/language_models.hpp>

#include "audit/clopper_pearson.hpp"
#include "base/checked_value.hpp"
#include "mechanisms/integer_rows.hpp"
#include "mechanisms/loss/pair_loss.hpp"
#include "mechanisms/word_row.hpp"
#include "pipeline/text_place.hpp"
#include "pipeline/word_entry.hpp"
#include "privacy/rounding.hpp"

namespace sotto {
using namespace audit;
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A bound on a ratio takes two bounds on probabilities; together they are wrong with probability 0.05.
constexpr double kAlpha = 0.025;
constexpr std::uint64_t kFewestDraws = 100;

/// The output that tells the words apart best.
struct Telling {
  double loss = 0;
  std::optional<std::uint32_t> output;
  bool first_is_likelier = true;
  double likelier = 0;  ///< its weight for the word for which it is likelier
};

using Covers = std::function<bool(std::uint32_t)>;
using Spelled = std::function<std::string_view(std::uint32_t)>;

/// The largest ratio of weights over the outputs that the promise covers; among equals the likeliest.
Telling most_telling(const std::vector<double>& first, const std::vector<double>& second,
                     const Covers& covers) {
  Telling best;
  for (std::uint32_t y = 0; y < first.size(); ++y) {
    const auto [low, high] = std::minmax(first[y], second[y]);
    if (high == low || !covers(y)) continue;
    const double loss = low > 0 ? std::log(high / low) : kInfinite;
    if (loss < best.loss || (loss == best.loss && high <= best.likelier)) continue;
    best = {loss, y, first[y] > second[y], high};
  }
  return best;
}

/// The loss of the pair at that output, from the integers that are sampled. Probabilities far from both words
/// vanish in floating point, but not in there. Mechanisms without such integers keep what was found.
void refine(const OpenMechanism& open, TokenId first, TokenId second, Telling& telling) {
  if (!telling.output) return;
  const TokenId output = *telling.output;
  const TokenId other = telling.first_is_likelier ? second : first;
  TokenId likelier = telling.first_is_likelier ? first : second;
  const TokenId uniform = mechanism::uniform_input(open.model->size());
  if (other == uniform) return;  // a mean is not far below any of its terms, so it does not vanish
  double above = 0;              // ln(P(output|⊙) / P(output|output)): the place of ⊙ may be the output's
  if (likelier == uniform) {
    above = std::log(telling.likelier / open.mechanism->row(output)[output]);
    likelier = output;
  }
  const auto exact = mechanism::pair_loss(*open.mechanism, *open.model, {likelier, other, output});
  if (exact && std::isfinite(above)) telling.loss = exact->loss + above;
}

std::vector<double> plus_one(const std::vector<std::uint64_t>& counts) {
  std::vector<double> values;
  for (const std::uint64_t count : counts) values.push_back(static_cast<double>(count + 1));
  return values;
}

/// Chooses the output on half of the draws and measures it on the other half, so that the bound holds
/// although there were many outputs to choose from.
Telling sampled_telling(const OpenMechanism& open, TokenId first, TokenId second, std::uint64_t draws) {
  const Mechanism& mechanism = *open.mechanism;
  const std::size_t outputs = open.model->size();
  const std::uint64_t half = draws / 2;
  const auto counts = [&](TokenId word) { return mechanism::sampled_counts(mechanism, word, outputs, half); };
  Telling telling = most_telling(plus_one(counts(first)), plus_one(counts(second)),
                                 [&](std::uint32_t y) { return mechanism.covers(y); });
  if (!telling.output) return {};
  const TokenId likelier = telling.first_is_likelier ? first : second;
  const TokenId other = telling.first_is_likelier ? second : first;
  const double low = lower_bound(counts(likelier)[*telling.output], half, kAlpha);
  const double high = upper_bound(counts(other)[*telling.output], half, kAlpha);
  if (low <= high) return {};
  telling.loss = std::log(low / high);
  return telling;
}

/// The outputs that are likeliest for either word.
std::vector<PairedOutcome> paired_outcomes(const mechanism::WordRow& first, const mechanism::WordRow& second,
                                           const Spelled& spelled, std::size_t top) {
  const std::vector<double>& p = first.probabilities;
  const std::vector<double>& q = second.probabilities;
  std::vector<std::uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  top = std::min(top, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const double left = std::max(p[a], q[a]);
                      const double right = std::max(p[b], q[b]);
                      return left != right ? left > right : a < b;
                    });
  std::vector<PairedOutcome> outcomes;
  for (std::size_t i = 0; i < top; ++i)
    outcomes.push_back({std::string(spelled(order[i])), p[order[i]], q[order[i]]});
  return outcomes;
}

void put(const Telling& telling, const Spelled& spelled, WordPair& pair) {
  pair.observed_loss = telling.loss;
  if (telling.output) pair.telling_output = spelled(*telling.output);
}

/// Reads where a metric is truncated.
class LimitFinder final : public mechanism::RowVisitor {
 public:
  double limit = kInfinite;
  Result<void> visit(const mechanism::MetricRows& rows) override { return take(rows.limit); }
  Result<void> visit(const mechanism::PlaceRows& rows) override { return take(rows.limit); }
  Result<void> visit(const mechanism::GeometricRows& /*rows*/) override { return {}; }
  Result<void> visit(const mechanism::PureRows& /*rows*/) override { return {}; }

 private:
  Result<void> take(double found) {
    limit = found;
    return {};
  }
};

double largest_distance(const Mechanism& mechanism) {
  LimitFinder finder;
  const auto shown = mechanism::show_rows(mechanism, finder);
  return shown ? finder.limit : kInfinite;  // what does not sample integers does not truncate either
}

/// ε·d and the additive term, which counts only where the words differ.
double promised(const Guarantee& guarantee, double distance) {
  if (distance == 0) return 0;
  if (guarantee.kind == GuaranteeKind::none || std::isinf(distance)) return kInfinite;
  return privacy::add_up(privacy::multiply_up(guarantee.epsilon, distance), guarantee.additive);
}

Result<WordPair> compare_at(const OpenMechanism& open, TokenId first, TokenId second,
                            const ExplainOptions& options) {
  const Model& model = *open.model;
  const Spelled spelled = [&](std::uint32_t output) { return model.word(output); };
  WordPair pair;
  pair.epsilon = open.spec.epsilon;
  pair.distance = mechanism::input_distance(*open.mechanism, first, second, model.size());
  pair.largest_distance = largest_distance(*open.mechanism);
  pair.promised_loss = promised(open.mechanism->guarantee(), pair.distance);
  const mechanism::WordRow row = mechanism::word_row(*open.mechanism, first, model.size(), options.draws);
  const mechanism::WordRow other =
      first == second ? row : mechanism::word_row(*open.mechanism, second, model.size(), options.draws);
  pair.draws = std::max(row.draws, other.draws);
  pair.outcomes = paired_outcomes(row, other, spelled, options.top);
  if (first == second) return pair;
  Telling telling;
  if (pair.draws > 0) {
    if (options.draws < kFewestDraws)
      return base::not_allowed("draws", options.draws, fmt::format("at least {}", kFewestDraws));
    telling = sampled_telling(open, first, second, options.draws);
  } else {
    telling = most_telling(row.probabilities, other.probabilities,
                           [&](std::uint32_t y) { return open.mechanism->covers(y); });
    refine(open, first, second, telling);
  }
  put(telling, spelled, pair);
  return pair;
}

/// A draw from a language model promises ε whatever its context is, so two texts are at distance 1.
Result<WordPair> compare_at(const lm::MaskedMechanism& mechanism, const pipeline::PlacedToken& first,
                            const pipeline::PlacedToken& second, double epsilon, std::size_t top) {
  const Spelled spelled = [&](std::uint32_t output) -> std::string_view {
    return mechanism.filler().words()[output];
  };
  SOTTO_ASSIGN(const mechanism::WordRow row, pipeline::masked_row(mechanism, first));
  SOTTO_ASSIGN(const mechanism::WordRow other, pipeline::masked_row(mechanism, second));
  WordPair pair;
  pair.epsilon = epsilon;
  pair.distance = first.text == second.text ? 0 : 1;
  pair.promised_loss = promised(mechanism.guarantee(), pair.distance);
  pair.outcomes = paired_outcomes(row, other, spelled, top);
  put(most_telling(row.probabilities, other.probabilities, [](std::uint32_t) { return true; }), spelled,
      pair);
  return pair;
}

Result<void> check_options(const CompareOptions& options) {
  SOTTO_TRY(pipeline::check_amounts(options.explain));
  if (options.epsilons.empty()) return fail_parameter("epsilon", "", "missing; give at least one");
  for (const double epsilon : options.epsilons) SOTTO_TRY(check_epsilon("epsilon", epsilon));
  return {};
}

MechanismSpec at_epsilon(MechanismSpec spec, double epsilon) {
  spec.epsilon = epsilon;
  return spec;
}

}  // namespace

Result<WordComparison> compare_words(std::string_view first, std::string_view second,
                                     const CompareOptions& options) {
  SOTTO_TRY(check_options(options));
  const MechanismSpec& spec = options.explain.mechanism;
  SOTTO_ASSIGN(OpenMechanism open, open_mechanism(at_epsilon(spec, options.epsilons.front())));
  const Model& model = *open.model;
  const OovPolicy oov = options.explain.oov;
  SOTTO_ASSIGN(const pipeline::WordInput one, pipeline::find_input(first, model, oov));
  SOTTO_ASSIGN(const pipeline::WordInput other, pipeline::find_input(second, model, oov));
  WordComparison comparison;
  comparison.first = first;
  comparison.second = second;
  comparison.first_in_vocabulary = one.in_vocabulary();
  comparison.second_in_vocabulary = other.in_vocabulary();
  comparison.first_entry = one.entry;
  comparison.second_entry = other.entry;
  comparison.mechanism = spec.name;
  comparison.model = model.name();
  comparison.guarantee = open.mechanism->guarantee();
  if (oov == OovPolicy::nearest && !(one.in_vocabulary() && other.in_vocabulary()))
    comparison.guarantee = pipeline::with_mapped_words(std::move(comparison.guarantee));
  SOTTO_ASSIGN(comparison.typical, typical_metric_distances(open));
  for (const double epsilon : options.epsilons) {
    if (epsilon != open.spec.epsilon) {
      SOTTO_ASSIGN(open, open_mechanism(at_epsilon(spec, epsilon), open.model));
    }
    SOTTO_ASSIGN(WordPair pair, compare_at(open, one.id, other.id, options.explain));
    comparison.pairs.push_back(std::move(pair));
  }
  return comparison;
}

Result<WordComparison> compare_words(const TextPlace& place, std::string_view second,
                                     const CompareOptions& options) {
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(const pipeline::PlacedToken placed, pipeline::find_place(place));
  const MechanismSpec& spec = options.explain.mechanism;
  if (!rewrites_whole_texts(spec.name)) return compare_words(placed.word(), second, options);
  SOTTO_ASSIGN(const pipeline::PlacedToken other, pipeline::replace_word(placed, second));
  WordComparison comparison;
  comparison.first = placed.word();
  comparison.second = second;
  comparison.place = place;
  comparison.mechanism = spec.name;
  for (const double epsilon : options.epsilons) {
    SOTTO_ASSIGN(const auto opened, pipeline::open_masked(at_epsilon(spec, epsilon)));
    const lm::MaskedMechanism& mechanism = *opened->mechanism();
    if (comparison.pairs.empty()) {
      comparison.model = opened->model_name();
      comparison.guarantee = mechanism.guarantee();
      comparison.first_in_vocabulary = mechanism.filler().find(placed.word()).has_value();
      comparison.second_in_vocabulary = mechanism.filler().find(second).has_value();
    }
    SOTTO_ASSIGN(WordPair pair, compare_at(mechanism, placed, other, epsilon, options.explain.top));
    comparison.pairs.push_back(std::move(pair));
  }
  return comparison;
}

}  // namespace sotto
