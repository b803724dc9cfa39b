// Paper "1-Diffractor", section 3.2: the truncated exponential mechanism on the places of a one-dimensional
// list. In closed form P(j|i) ∝ exp(−½·ε·min(|i−j|, γ)) over the whole list; with several lists the list is
// chosen first, uniformly.
//
// Errors in the published code that are avoided here: it loops forever if a list has at most 2γ+1 words,
// because it searches for words beyond γ that do not exist; its γ does not depend on ε; its score of the far
// words depends on how many are near.
#include "mechanisms/lists/diffractor_tem.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "mechanisms/exponential_weights.hpp"
#include "mechanisms/integer_rows.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "mechanisms/truncation.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "privacy/rounding.hpp"
#include "random/integer_samplers.hpp"
#include "random/weighted.hpp"

namespace sotto::mechanism {
namespace {

/// The mechanism on one list of `words` places, the same for all lists: one table of weights by distance
/// serves every place, because a place near an end only has fewer of them.
class PlaceSampler {
 public:
  PlaceSampler(double epsilon, double gamma, std::uint32_t words)
      : words_(words),
        weights_(index_weights(epsilon, gamma, words, weight_bits(words))),
        near_(weights_.near.size()) {
    std::partial_sum(weights_.near.begin(), weights_.near.end(), near_.begin());
  }

  std::uint32_t words() const { return words_; }

  /// Draws two words. Computes all three answers and selects one without a branch: the timing would otherwise
  /// reveal on which side of the output the input is.
  std::uint32_t sample(std::uint32_t place, BitSource& bits) const {
    const Shares shares(*this, place);
    const std::uint64_t position = draw_position(bits, shares.total);
    const std::uint64_t beyond = position - shares.left;
    const std::uint64_t is_left = all_ones_if(position < shares.left);
    const std::uint64_t is_right = all_ones_if(beyond < shares.right) & ~is_left;
    const std::uint64_t is_far = ~(is_left | is_right);
    std::uint64_t distance = 0;
    if (!near_.empty())
      distance =
          random::find_in_steps(near_, (position & is_left) | ((beyond + weights_.near[0]) & is_right));
    std::uint64_t far = far_places((beyond - shares.right) & is_far);
    far += shares.near & all_ones_if(far >= shares.first);
    return static_cast<std::uint32_t>(((place - distance) & is_left) | ((place + distance) & is_right) |
                                      (far & is_far));
  }

  /// The probability of each place, from the sampled weights.
  std::vector<double> law(std::uint32_t place) const {
    const Shares shares(*this, place);
    std::vector<double> probabilities(words_);
    for (std::uint32_t i = 0; i < words_; ++i) probabilities[i] = probability(shares, place, i);
    return probabilities;
  }

  /// The probability of drawing place `to` for an input at place `from`.
  double probability(std::uint32_t from, std::uint32_t to) const {
    return probability(Shares(*this, from), from, to);
  }

  const IndexWeights& weights() const { return weights_; }

 private:
  /// The weights around a place in the order in which positions are assigned: the place itself and the near
  /// ones before it, backwards; the near ones after it, forwards; the far ones in list order.
  struct Shares {
    Shares(const PlaceSampler& of, std::uint32_t place) : first(place) {
      if (!of.near_.empty()) {
        const auto reach = static_cast<std::uint32_t>(of.near_.size() - 1);
        const std::uint32_t before = std::min(place, reach);
        const std::uint32_t after = std::min(of.words_ - 1 - place, reach);
        left = of.near_[before];
        right = of.near_[after] - of.weights_.near[0];
        near = before + 1 + after;
        first = place - before;
      }
      total = left + right + (of.words_ - near) * of.weights_.far;
    }
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::uint64_t total = 0;
    std::uint32_t first;     ///< the first near place, which is also the number of far places before it
    std::uint32_t near = 0;  ///< the number of near places
  };

  double probability(const Shares& shares, std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t distance = to > from ? to - from : from - to;
    const std::uint64_t weight = distance < weights_.near.size() ? weights_.near[distance] : weights_.far;
    return static_cast<double>(weight) / static_cast<double>(shares.total);
  }

  static std::uint64_t all_ones_if(bool condition) { return 0 - std::uint64_t{condition}; }

  /// position / weights_.far for position < 2^63, without a division, whose time depends on its operands. The
  /// quotient by the rounded inverse is correct or one too small.
  std::uint64_t far_places(std::uint64_t position) const {
    const auto quotient =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(position) * far_inverse_) >> 64);
    return quotient + (position - quotient * weights_.far >= weights_.far);
  }

  std::uint32_t words_;
  IndexWeights weights_;
  std::uint64_t far_inverse_ = ~std::uint64_t{0} / weights_.far;
  std::vector<std::uint64_t> near_;  ///< element i: the sum of the near weights up to i; empty if γ is 0
};

// A weight and its entry among the cumulative ones.
constexpr std::uint64_t kBytesPerPlace = 20;

class DiffractorTem final : public IntegerMechanism {
 public:
  DiffractorTem(std::shared_ptr<const ListChoice> lists, double epsilon, double gamma)
      : shared_lists_(std::move(lists)),
        lists_(*shared_lists_),
        epsilon_(epsilon),
        gamma_(gamma),
        list_choice_(lists_.size()),
        places_(epsilon, gamma, lists_.words()) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<UnbatchedTokens<DiffractorTem>>(*this);
  }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::array<std::uint64_t, random::UniformBatch::kMostPerWord> lists;
    for (std::size_t begin = 0; begin < in.size(); begin += list_choice_.per_word()) {
      list_choice_.draw(bits, lists);
      const std::size_t end = std::min(begin + list_choice_.per_word(), in.size());
      for (std::size_t i = begin; i < end; ++i) {
        const auto list = static_cast<std::uint32_t>(lists[i - begin]);
        out[i] = lists_.word_at(list, places_.sample(lists_.place(list, in[i]), bits));
      }
    }
  }

  Guarantee guarantee() const override {
    return {.kind = GuaranteeKind::analytic,
            .unit = {fmt::format("list index distance, at most {}, the largest over the lists", gamma_),
                     lists_.model().digest()},
            .scope = GuaranteeScope::all_inputs,
            .epsilon = epsilon_,
            // Rényi divergences are quasi-convex, so a mixture with input-independent weights is no worse
            // than its components.
            .rho = privacy::multiply_up(epsilon_, epsilon_) / 8,
            .assumptions = {"the keyed stream is indistinguishable from uniform bits"},
            .statement = fmt::format(
                "For any two words, and words outside the vocabulary, the probabilities of each "
                "output differ at most by the factor exp({} d), d being {} in {}, and at "
                "most {}.",
                epsilon_, lists_.size() == 1 ? "their distance" : "the largest of their distances",
                lists_.names(), readable_metric(fmt::format("{}", gamma_)))};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    return visitor.visit(PlaceRows{lists_, places_.weights(), gamma_});
  }

  double distance(TokenId a, TokenId b) const override {
    return std::min<double>(lists_.distance(a, b), gamma_);
  }

  std::vector<double> row(TokenId word) const override {
    std::vector<double> probabilities(lists_.words());
    for (std::uint32_t l = 0; l < lists_.size(); ++l) {
      const std::vector<double> law = places_.law(lists_.place(l, word));
      for (std::uint32_t i = 0; i < lists_.words(); ++i)
        probabilities[lists_.word_at(l, i)] += law[i] / lists_.size();
    }
    return probabilities;
  }

  std::vector<double> column(TokenId output) const override {
    std::vector<double> probabilities(lists_.words());
    for (std::uint32_t l = 0; l < lists_.size(); ++l)
      for (TokenId word = 0; word < probabilities.size(); ++word)
        probabilities[word] +=
            places_.probability(lists_.place(l, word), lists_.place(l, output)) / lists_.size();
    return probabilities;
  }

 private:
  std::shared_ptr<const ListChoice> shared_lists_;
  const ListChoice& lists_;
  double epsilon_;
  double gamma_;
  random::UniformBatch list_choice_;
  PlaceSampler places_;
};

}  // namespace

MechanismInfo diffractor_tem_info() {
  return {.name = "diffractor-tem",
          .summary = "moves each word along one-dimensional lists of similar words, any word being possible",
          .metric = "index distance in the lists, truncated at gamma",
          .guarantee = "analytic: epsilon times the largest index distance over the lists, at most gamma",
          .speed = "very fast: ten million words per second",
          .use_when = "you want words far away in the list to stay as likely as each other",
          .default_model = "sotto-en-lists",
          .parameters = {lists_parameter(),
                         {"gamma", "auto",
                          "from this distance on all words are equally likely; a number from 0 to 1e12, or "
                          "auto: (2/epsilon) ln((1-beta)(n-1)/beta) for n words",
                          ParameterKind::numbers},
                         {"beta", "0.001",
                          "with gamma=auto: about the probability of all far words together, relative to the "
                          "word itself; 1e-12 to 0.5"}}};
}

Result<MechanismFamily> prepare_diffractor_tem(const MechanismRequest& request) {
  SOTTO_ASSIGN(ListChoice lists, ListChoice::make(request.model, request.parameters.at("lists")));
  SOTTO_ASSIGN(const Truncation truncation, Truncation::parse(request));
  auto shared = std::make_shared<const ListChoice>(std::move(lists));
  return MechanismFamily{[shared = std::move(shared), truncation](double epsilon) {
                           return std::make_unique<DiffractorTem>(shared, epsilon, truncation.at(epsilon));
                         },
                         kBytesPerPlace * request.model->size()};
}

}  // namespace sotto::mechanism
