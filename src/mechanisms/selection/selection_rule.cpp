// This file is compiled with -ffp-contract=off, so its sums and products are identical on every processor.
#include "mechanisms/selection/selection_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked_value.hpp"

namespace sotto::mechanism {
namespace {

/// P(y) ∝ exp(−½ε·d): paper "Differential Privacy for Text Analytics via Natural Text Sanitization".
class Exponential final : public SelectionRule {
 public:
  explicit Exponential(const DistanceWeights& weights) : weights_(weights) {}

  std::vector<double> prepare(std::span<const std::int64_t>) const override { return {}; }
  std::size_t state_size() const override { return 0; }

  void weights(std::span<const double>, std::span<const std::int64_t> squared,
               std::span<std::uint64_t> out) const override {
    weights_.weights(squared, out);
  }

  std::vector<double> probabilities(std::span<const double> exponents) const override {
    const double least = *std::min_element(exponents.begin(), exponents.end());
    std::vector<double> row;
    double total = 0;
    for (const double exponent : exponents) total += row.emplace_back(std::exp(least - exponent));
    for (double& probability : row) probability /= total;
    return row;
  }

  bool bounded_range() const override { return true; }

 private:
  DistanceWeights weights_;
};

constexpr std::size_t kHalfNodes = 10;
constexpr std::size_t kPanelNodes = 2 * kHalfNodes;
constexpr std::size_t kMostPanels = 3;
constexpr double kPanelReach = 16;

// The Gauss–Legendre rule with 20 nodes on [−1, 1], positive half.
constexpr std::array<double, kHalfNodes> kAbscissas = {
    0.07652652113349734, 0.22778585114164507, 0.37370608871541955, 0.5108670019508271, 0.636053680726515,
    0.7463319064601508,  0.8391169718222188,  0.912234428251326,   0.9639719272779138, 0.9931285991850949};
constexpr std::array<double, kHalfNodes> kGaussWeights = {
    0.15275338713072584, 0.14917298647260374, 0.14209610931838204, 0.13168863844917664, 0.11819453196151841,
    0.10193011981724044, 0.08327674157670475, 0.06267204833410907, 0.04060142980038694, 0.017614007139152118};

/// Paper "Permute-and-Flip: A new mechanism for differentially private selection": visits the outcomes in
/// random order, accepts y with probability p_y = exp(−½ε(d(x,y) − least d)), and chooses the first one
/// accepted. Its row is P(y) = p_y·∫₀¹ f(t)/(1 − t·p_y) dt with f(t) = ∏_z (1 − t·p_z).
///
/// The weights are ⌊2^62·P(y)⌋. As P(y) >= p_y·∫(1 − t)^(n−1) dt = p_y/n for n outcomes, none is below
/// 2^62·p_y/n, which is at least the weight 2^k·p_y of the exponential mechanism, so none is below 2^12. They
/// add up to 2^62 minus at most n, up to errors. Permute-and-flip guarantees ε·d for exponents that differ by
/// ½ε·d; rounding adds 1/weight + n/2^62 + 4η to the logarithm of a ratio, less than the 2·slack of
/// weights.hpp.
///
/// The integral: with S = Σp_z the integrand is at most e^(1−S·t), so the part beyond t = 48/S is below e^-46
/// of the whole, which is at least 1/(S + 1). The rest is split into at most three panels no wider than 16/S
/// with 20 nodes each; f is analytic and at most e^13 within the ellipse with ρ = 5 around a panel, so the
/// rule's error is below 10^-19 of the whole. Rounding dominates: each of the n factors of f contributes at
/// most 3·2^-53, and the sum of quotients less than 100·2^-53. An error in p_y, at most kWeightError, moves
/// ln P by no more than twice that, because it acts like a change of the distances.
class PermuteAndFlip final : public SelectionRule {
 public:
  explicit PermuteAndFlip(const DistanceWeights& weights) : weights_(weights) {}

  // The smallest exponent, then (node, weight · f(node)) for each node.
  std::vector<double> prepare(std::span<const std::int64_t> squared) const override {
    const double least = weights_.exponent(*std::min_element(squared.begin(), squared.end()));
    std::vector<double> acceptance(squared.size());
    weights_.exponentials(squared, least, acceptance);
    std::vector<double> state = {least};
    const std::vector<double> nodes = integrate(acceptance);
    state.insert(state.end(), nodes.begin(), nodes.end());
    return state;
  }

  std::size_t state_size() const override { return 1 + 2 * kMostPanels * kPanelNodes; }

  void weights(std::span<const double> state, std::span<const std::int64_t> squared,
               std::span<std::uint64_t> out) const override {
    std::vector<double> acceptance(squared.size());
    weights_.exponentials(squared, state[0], acceptance);
    select(state.subspan(1), acceptance);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(acceptance[i] * 0x1p62);
  }

  double total() const override { return 0x1p62; }

  std::vector<double> probabilities(std::span<const double> exponents) const override {
    const double least = *std::min_element(exponents.begin(), exponents.end());
    std::vector<double> row;
    for (const double exponent : exponents) row.push_back(std::exp(least - exponent));
    select(integrate(row), row);
    return row;
  }

  bool bounded_range() const override { return false; }

 private:
  static std::vector<double> integrate(std::span<const double> acceptance) {
    double sum = 0;
    for (const double p : acceptance) sum += p;
    const double end = std::min(1.0, static_cast<double>(kMostPanels) * kPanelReach / sum);
    const auto panels = static_cast<std::size_t>(std::max(1.0, std::ceil(end * sum / kPanelReach - 0x1p-20)));
    const double half = end / static_cast<double>(2 * panels);
    std::vector<double> nodes;
    std::vector<double> values;
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const double middle = half * static_cast<double>(2 * panel + 1);
      for (std::size_t i = 0; i < kHalfNodes; ++i) {
        for (const double sign : {-1.0, 1.0}) {
          nodes.push_back(middle + sign * kAbscissas[i] * half);
          values.push_back(kGaussWeights[i] * half);
        }
      }
    }
    for (const double p : acceptance)
      for (std::size_t j = 0; j < nodes.size(); ++j) values[j] *= 1 - nodes[j] * p;
    std::vector<double> interleaved;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      interleaved.push_back(nodes[j]);
      interleaved.push_back(values[j]);
    }
    return interleaved;
  }

  // Replaces each p_y with P(y), eight at a time, so that the divisions run in parallel.
  static void select(std::span<const double> nodes, std::span<double> acceptance) {
    constexpr std::size_t kLanes = 8;
    for (std::size_t begin = 0; begin < acceptance.size(); begin += kLanes) {
      const std::size_t count = std::min(kLanes, acceptance.size() - begin);
      double p[kLanes] = {};
      double sum[kLanes] = {};
      std::copy_n(acceptance.begin() + static_cast<std::ptrdiff_t>(begin), count, p);
      for (std::size_t j = 0; j < nodes.size(); j += 2)
        for (std::size_t i = 0; i < kLanes; ++i) sum[i] += nodes[j + 1] / (1 - nodes[j] * p[i]);
      for (std::size_t i = 0; i < count; ++i) acceptance[begin + i] = p[i] * sum[i];
    }
  }

  DistanceWeights weights_;
};

}  // namespace

ParameterInfo selection_parameter() {
  return {"selection", "exponential",
          "exponential: P(y) in proportion to exp(-epsilon d/2); permute-and-flip: never worse on average, "
          "but slower to prepare"};
}

Result<SelectionKind> parse_selection(std::string_view selection) {
  SOTTO_ASSIGN(const std::size_t kind,
               read_choice("parameters.selection", selection, {"exponential", "permute-and-flip"}));
  return static_cast<SelectionKind>(kind);
}

double weight_error(SelectionKind kind, std::size_t outcomes) {
  if (kind == SelectionKind::exponential) return kWeightError;
  return 2 * kWeightError + static_cast<double>(outcomes + 100) * 0x1p-50;
}

std::unique_ptr<SelectionRule> make_selection_rule(SelectionKind kind, const DistanceWeights& weights) {
  if (kind == SelectionKind::exponential) return std::make_unique<Exponential>(weights);
  return std::make_unique<PermuteAndFlip>(weights);
}

}  // namespace sotto::mechanism
