// Paper "1-Diffractor", section 3.1: the place of a word in a one-dimensional list plus two-sided geometric
// noise, clamped to the list. With several lists the paper draws from each and keeps one at random; choosing
// the list first and drawing once gives the same distribution at the cost of one draw.
//
// Errors in the published code that are avoided here: a fixed default seed; words outside the vocabulary
// released unchanged; lists that lack the word dropped; several lists that are actually one; an off-by-one
// clamp.
#include "mechanisms/lists/diffractor_geometric.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "random/geometric.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::mechanism {
namespace {

// The tables of the geometric noise; they grow only if ε is tiny.
constexpr std::uint64_t kNoiseBytes = 64 << 10;

class DiffractorGeometric final : public IntegerMechanism {
 public:
  DiffractorGeometric(std::shared_ptr<const ListChoice> lists, double epsilon)
      : shared_lists_(std::move(lists)),
        lists_(*shared_lists_),
        epsilon_(epsilon),
        list_choice_(lists_.size()),
        noise_(epsilon) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<UnbatchedTokens<DiffractorGeometric>>(*this);
  }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    std::array<std::uint64_t, random::UniformBatch::kMostPerWord> lists;
    const std::int64_t last = lists_.words() - 1;
    for (std::size_t begin = 0; begin < in.size(); begin += list_choice_.per_word()) {
      list_choice_.draw(bits, lists);
      const std::size_t end = std::min(begin + list_choice_.per_word(), in.size());
      for (std::size_t i = begin; i < end; ++i) {
        const auto list = static_cast<std::uint32_t>(lists[i - begin]);
        const std::int64_t noisy = lists_.place(list, in[i]) + noise_.sample(bits);
        out[i] = lists_.word_at(list, static_cast<std::uint32_t>(std::clamp<std::int64_t>(noisy, 0, last)));
      }
    }
  }

  Guarantee guarantee() const override {
    return {
        .kind = GuaranteeKind::analytic,
        .unit = {"list index distance, the largest over the lists", lists_.model().digest()},
        .scope = GuaranteeScope::all_inputs,
        .epsilon = epsilon_,
        .assumptions = {"the keyed stream is indistinguishable from uniform bits"},
        .statement = fmt::format(
            "For any two words, and words outside the vocabulary, the probabilities of each output differ at "
            "most by the factor exp({} d), d being {} in {}.",
            epsilon_, lists_.size() == 1 ? "their distance" : "the largest of their distances",
            lists_.names())};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    return visitor.visit(GeometricRows{lists_, epsilon_});
  }

  double distance(TokenId a, TokenId b) const override { return lists_.distance(a, b); }

  std::vector<double> row(TokenId word) const override {
    std::vector<double> probabilities(lists_.words());
    std::call_once(steps_made_, [this] { make_steps(); });
    const std::int64_t last = lists_.words() - 1;
    for (std::uint32_t l = 0; l < lists_.size(); ++l) add_list(l, lists_.place(l, word), last, probabilities);
    return probabilities;
  }

  std::vector<double> column(TokenId output) const override {
    std::call_once(steps_made_, [this] { make_steps(); });
    const std::int64_t last = lists_.words() - 1;
    std::vector<double> probabilities(lists_.words());
    for (std::uint32_t l = 0; l < lists_.size(); ++l)
      for (TokenId word = 0; word < probabilities.size(); ++word)
        probabilities[word] += step(lists_.place(l, word), lists_.place(l, output), last);
    return probabilities;
  }

  // Every place of a list occurs once, so what reaches place i is a sum of steps in both directions.
  std::vector<double> mean_row() const override {
    std::call_once(steps_made_, [this] { make_steps(); });
    const std::size_t words = lists_.words();
    std::vector<double> reach = steps_;  // P(0 <= noise <= k), divided as steps_ is
    reach.resize(words);
    std::partial_sum(reach.begin(), reach.end(), reach.begin());
    double ends = 0;  // reaches the first place, or the last
    for (std::size_t k = 0; k < words; ++k)
      ends += (words == 1 ? 1 : noise_.tail(static_cast<std::int64_t>(k))) / lists_.size();
    std::vector<double> mean(words);
    for (std::uint32_t l = 0; l < lists_.size(); ++l)
      for (std::uint32_t i = 0; i < words; ++i) {
        const bool is_end = i == 0 || i == words - 1;
        mean[lists_.word_at(l, i)] +=
            (is_end ? ends : reach[i] + reach[words - 1 - i] - steps_[0]) / static_cast<double>(words);
      }
    return mean;
  }

 private:
  /// Exponentials are what a row costs, so all rows share them. Those that are 0 are left out.
  void make_steps() const {
    for (std::int64_t k = 0; k < lists_.words(); ++k) {
      const double probability = noise_.probability(k);
      if (probability == 0) break;
      steps_.push_back(probability / lists_.size());
    }
  }

  /// The chance of moving between two places of a list, divided by the number of lists.
  double step(std::int64_t from, std::int64_t to, std::int64_t last) const {
    if (last == 0) return 1.0 / lists_.size();
    if (to == 0) return noise_.tail(from) / lists_.size();  // by symmetry P(noise <= -from)
    if (to == last) return noise_.tail(last - from) / lists_.size();
    const auto distance = static_cast<std::size_t>(std::abs(to - from));
    return distance < steps_.size() ? steps_[distance] : 0;
  }

  /// Adds the chance of each word to be drawn from list `l`: of place + noise, clamped to [0, last].
  void add_list(std::uint32_t l, std::int64_t place, std::int64_t last, std::span<double> sums) const {
    const auto add = [&](std::int64_t i, double probability) {
      sums[lists_.word_at(l, static_cast<std::uint32_t>(i))] += probability;
    };
    if (last == 0) return add(0, 1.0 / lists_.size());
    add(0, noise_.tail(place) / lists_.size());  // by symmetry P(noise <= -place)
    add(last, noise_.tail(last - place) / lists_.size());
    const auto reach = static_cast<std::int64_t>(steps_.size()) - 1;
    const std::int64_t end = std::min(last - 1, place + reach);
    for (std::int64_t i = std::max<std::int64_t>(1, place - reach); i <= end; ++i)
      add(i, steps_[static_cast<std::size_t>(std::abs(i - place))]);  // the noise is symmetric
  }

  std::shared_ptr<const ListChoice> shared_lists_;
  const ListChoice& lists_;
  double epsilon_;
  random::UniformBatch list_choice_;
  random::TwoSidedGeometric noise_;
  mutable std::once_flag steps_made_;
  mutable std::vector<double> steps_;  ///< P(noise = k) for k >= 0, divided by the number of lists
};

}  // namespace

MechanismInfo diffractor_geometric_info() {
  return {.name = "diffractor-geometric",
          .summary = "moves each word along one-dimensional lists of similar words by geometric noise",
          .metric = "index distance in the lists",
          .guarantee = "analytic: epsilon times the largest index distance over the lists",
          .speed = "fastest: tens of millions of words per second",
          .use_when = "there is a lot of text; santext and tem hide more for as many changed words",
          .default_model = "sotto-en-lists",
          .parameters = {lists_parameter()}};
}

Result<MechanismFamily> prepare_diffractor_geometric(const MechanismRequest& request) {
  SOTTO_ASSIGN(ListChoice lists, ListChoice::make(request.model, request.parameters.at("lists")));
  auto shared = std::make_shared<const ListChoice>(std::move(lists));
  return MechanismFamily{[shared = std::move(shared)](double epsilon) {
                           return std::make_unique<DiffractorGeometric>(shared, epsilon);
                         },
                         kNoiseBytes};
}

}  // namespace sotto::mechanism
