// Paper "A Customized Text Sanitization Mechanism with Differential Privacy" (CusText): the vocabulary is cut
// into groups of K similar words, and a word is replaced by a word of its group with P(y|x) ∝ exp(½·ε·u(x,
// y)), u = 1 − d(x, y) / (largest distance in the group).
//
// Words outside the vocabulary go through the mechanism, no word is alone in its group, and sampling is
// exact. The promise is what it is: which group a word belongs to is revealed.
#include "mechanisms/custext.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <sotto/validate.hpp>

#include "base/parallel.hpp"
#include "mechanisms/bottom_vector.hpp"
#include "mechanisms/custext_groups.hpp"
#include "mechanisms/exponential_weights.hpp"
#include "mechanisms/immediate.hpp"
#include "mechanisms/integer_rows.hpp"

namespace sotto {
namespace {

using Groups = std::vector<std::vector<TokenId>>;

/// Groups whose weights a thread computes at once.
constexpr std::size_t kGroupsAtOnce = 16;

/// ⊥ and words: the squared distance from φ(⊥).
class BottomDistance {
 public:
  explicit BottomDistance(const Model& model) : model_(model), bottom_(bottom_vector(model)) {}

  std::int64_t operator()(TokenId word) const { return squared_distance_from_bottom(model_, bottom_, word); }

  TokenId nearest_word() const {
    TokenId best = 0;
    std::int64_t least = (*this)(0);
    for (TokenId word = 1; word < model_.size(); ++word) {
      const std::int64_t squared = (*this)(word);
      if (squared >= least) continue;
      least = squared;
      best = word;
    }
    return best;
  }

 private:
  const Model& model_;
  std::vector<std::int16_t> bottom_;
};

class Custext final : public Mechanism {
 public:
  Custext(std::shared_ptr<const Model> model, double epsilon, const Groups& groups, unsigned threads)
      : model_(std::move(model)), epsilon_(epsilon), rows_(model_->size() + 1ULL) {
    lay_out(groups);
    parallel_for(groups.size(), kGroupsAtOnce, thread_count(threads),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t g = begin; g < end; ++g) compute_weights(groups[g]);
                 });
  }

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<ImmediateTokens<Custext>>(*this);
  }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Row& row = rows_[in[i]];
      const std::uint64_t* cumulative = cumulative_.data() + row.weights;
      const std::uint64_t position = draw_position(bits, cumulative[row.size - 1]);
      const auto place = std::upper_bound(cumulative, cumulative + row.size, position) - cumulative;
      out[i] = members_[row.members + static_cast<std::size_t>(place)];
    }
  }

  Guarantee guarantee() const override {
    return {.kind = GuaranteeKind::analytic,
            .unit = {},
            .scope = GuaranteeScope::group,
            .epsilon = epsilon_,
            .rho = epsilon_ * epsilon_ / 8,
            .assumptions = {"the keyed stream is indistinguishable from uniform bits"},
            .statement = fmt::format(
                "For any two words of one group the probabilities of each output differ at most by the "
                "factor exp({}). Which of the {} groups a word belongs to is revealed; words outside the "
                "vocabulary belong to the group of '{}'.",
                epsilon_, group_count_, model_->word(near_bottom_))};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    PureRows rows;
    for (std::size_t begin = 0; begin < members_.size(); begin += rows_[members_[begin]].size) {
      const auto first = members_.begin() + static_cast<std::ptrdiff_t>(begin);
      rows.groups.emplace_back(first, first + rows_[*first].size);
      if (rows_[model_->bottom()].members == begin) rows.groups.back().push_back(model_->bottom());
    }
    rows.row = [this](TokenId word) {
      const Row& row = rows_[word];
      const auto cumulative = std::span(cumulative_).subspan(row.weights, row.size);
      return PureRow{std::span(members_).subspan(row.members, row.size), cumulative, 0, cumulative.back()};
    };
    return visitor.visit(rows);
  }

  double distance(TokenId a, TokenId b) const override {
    if (a != b && rows_[a].members == rows_[b].members) return 1;
    return Mechanism::distance(a, b);
  }

  std::vector<double> row(TokenId word) const override {
    std::vector<double> probabilities(model_->size());
    const Row& row = rows_[word];
    const std::uint64_t* cumulative = cumulative_.data() + row.weights;
    const auto total = static_cast<double>(cumulative[row.size - 1]);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      probabilities[members_[row.members + i]] = static_cast<double>(cumulative[i] - before) / total;
      before = cumulative[i];
    }
    return probabilities;
  }

 private:
  /// Where an input's group and its cumulative weights begin.
  struct Row {
    std::size_t weights = 0;
    std::uint32_t members = 0;
    std::uint32_t size = 0;
  };

  void lay_out(const Groups& groups) {
    std::size_t weights = 0;
    group_count_ = groups.size();
    for (const auto& group : groups) {
      const auto members = static_cast<std::uint32_t>(members_.size());
      const auto size = static_cast<std::uint32_t>(group.size());
      largest_group_ = std::max(largest_group_, group.size());
      for (const TokenId word : group) {
        members_.push_back(word);
        rows_[word] = {weights, members, size};
        weights += size;
      }
    }
    const BottomDistance distance(*model_);
    near_bottom_ = distance.nearest_word();
    const Row& shared = rows_[near_bottom_];
    rows_[model_->bottom()] = {weights, shared.members, shared.size};
    for (std::uint32_t i = 0; i < shared.size; ++i)
      bottom_squares_.push_back(distance(members_[shared.members + i]));
    cumulative_.resize(weights + shared.size);
  }

  void compute_weights(const std::vector<TokenId>& group) {
    const std::size_t size = group.size();
    std::vector<std::int64_t> squares;  // of the pairs (0, 0), (1, 0), (1, 1), (2, 0), …
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) squares.push_back(model_->squared_distance(group[i], group[j]));
    const std::int64_t largest = *std::max_element(squares.begin(), squares.end());
    const std::vector<std::uint64_t> weights = weights_of(squares, largest);
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const auto [low, high] = std::minmax(i, j);
        cumulative_[rows_[group[i]].weights + j] = sum += weights[high * (high + 1) / 2 + low];
      }
    }
    const Row& bottom = rows_[model_->bottom()];
    if (bottom.members != rows_[group.front()].members) return;
    // φ(⊥) is no word of the group and may be further away: then u would be negative, and counts as 0.
    for (std::int64_t& square : bottom_squares_) square = std::min(square, largest);
    const std::vector<std::uint64_t> of_bottom = weights_of(bottom_squares_, largest);
    std::partial_sum(of_bottom.begin(), of_bottom.end(),
                     cumulative_.begin() + static_cast<std::ptrdiff_t>(bottom.weights));
  }

  std::vector<std::uint64_t> weights_of(std::span<const std::int64_t> squares, std::int64_t largest) const {
    const int bits = weight_bits(largest_group_);
    std::vector<std::uint64_t> weights(squares.size(), std::uint64_t{1} << bits);
    // All vectors of a group may be equal: then u is 1 for all.
    if (largest > 0) weights_of_roots(epsilon_, squares, largest, bits, weights);
    return weights;
  }

  std::shared_ptr<const Model> model_;
  double epsilon_;
  std::vector<Row> rows_;                  ///< by input
  std::vector<TokenId> members_;           ///< group after group
  std::vector<std::uint64_t> cumulative_;  ///< row after row
  std::vector<std::int64_t> bottom_squares_;
  std::size_t group_count_ = 0;
  std::size_t largest_group_ = 0;
  TokenId near_bottom_ = 0;
};

}  // namespace

MechanismInfo custext_info() {
  return {.name = "custext",
          .summary = "replaces each word by one of a small group of similar words",
          .metric = "none: pure epsilon inside a group",
          .guarantee = "analytic: pure epsilon between words of one group; the group is revealed",
          .speed = "very fast: ten million words a second, after seconds of preparation",
          .use_when = "meaning matters most, and revealing the group of a word is acceptable",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"k", "20", "words in a group; a whole number from 2 to 1000"}}};
}

Result<std::unique_ptr<Mechanism>> make_custext(const MechanismRequest& request) {
  const Model& model = *request.model;
  if (model.dimension() == 0)
    return fail(Errc::invalid_argument,
                fmt::format("--model: '{}' has no vectors; give a vector model", model.name()));
  const std::string& k = request.parameters.at("k");
  SOTTO_ASSIGN(const std::uint64_t size, parse_integer("--set k", k, 2, 1000));
  const std::uint64_t bytes = (model.size() + 1ULL) * (std::min<std::uint64_t>(size, model.size()) + 1) * 8;
  if (bytes > request.resources.memory)
    return fail(Errc::limit,
                fmt::format("--set k: '{}' needs {} MiB for {} words, and {} are allowed; give a "
                            "smaller one or more --memory",
                            k, (bytes >> 20) + 1, model.size(), request.resources.memory >> 20));
  SOTTO_ASSIGN(const Groups groups,
               build_groups(model, frequency_order(model), size, request.resources.threads));
  return std::make_unique<Custext>(request.model, request.epsilon, groups, request.resources.threads);
}

}  // namespace sotto
