// Paper "A Customized Text Sanitization Mechanism with Differential Privacy" (CusText): the vocabulary is
// split into groups of K similar words, and a word is replaced with a word of its group with P(y|x) ∝
// exp(½·ε·u(x, y)), u = 1 − d(x, y) / (largest distance in the group).
//
// Words outside the vocabulary go through the mechanism, no word is alone in its group, and sampling is
// exact. The guarantee has its limit: the group of a word is revealed.
#include "mechanisms/groups/custext.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "mechanisms/bottom_vector.hpp"
#include "mechanisms/exponential_weights.hpp"
#include "mechanisms/groups/custext_groups.hpp"
#include "mechanisms/integer_rows.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "privacy/rounding.hpp"
#include "random/weighted.hpp"

namespace sotto::mechanism {
namespace {

using Groups = std::vector<std::vector<TokenId>>;

/// Groups whose distances a thread computes at a time.
constexpr std::size_t kGroupsAtOnce = 16;

/// The squared distance of words from φ(⊥).
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

/// The groups and the distances inside them, independent of ε. Immutable, so safe to share.
class GroupLayout {
 public:
  GroupLayout(std::shared_ptr<const Model> model, const Groups& groups, unsigned threads)
      : model_(std::move(model)), rows_(model_->size() + 1ULL), largest_(groups.size()) {
    lay_out(groups);
    base::parallel_for(groups.size(), kGroupsAtOnce, base::thread_count(threads),
                       [&](std::size_t begin, std::size_t end) {
                         for (std::size_t g = begin; g < end; ++g) largest_[g] = largest_square(groups[g]);
                       });
  }

  const Model& model() const { return *model_; }
  std::size_t group_count() const { return largest_.size(); }
  std::size_t largest_group() const { return largest_group_; }
  std::uint32_t group(TokenId input) const { return rows_[input].group; }
  std::size_t inputs() const { return rows_.size(); }
  /// The words of an input's group; for ⊥, that of near_bottom().
  std::span<const TokenId> members(TokenId input) const {
    return std::span(members_).subspan(rows_[input].members, rows_[input].size);
  }
  std::span<const TokenId> all_members() const { return members_; }
  TokenId near_bottom() const { return near_bottom_; }

  /// The largest squared distance between two words of the input's group.
  std::int64_t largest(TokenId input) const { return largest_[rows_[input].group]; }

  /// The squared distances of an input from the members of its group, at most largest().
  std::vector<std::int64_t> squares(TokenId input) const {
    std::vector<std::int64_t> squares;
    if (input != model_->bottom()) {
      for (const TokenId member : members(input)) squares.push_back(model_->squared_distance(input, member));
      return squares;
    }
    // φ(⊥) is not a word of the group and may be farther away; u would then be negative, and counts as 0.
    for (const std::int64_t square : bottom_squares_) squares.push_back(std::min(square, largest(input)));
    return squares;
  }

 private:
  /// The position of an input's group.
  struct Row {
    std::uint32_t members = 0;
    std::uint32_t size = 0;
    std::uint32_t group = 0;
  };

  void lay_out(const Groups& groups) {
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      const auto members = static_cast<std::uint32_t>(members_.size());
      const auto size = static_cast<std::uint32_t>(groups[g].size());
      largest_group_ = std::max(largest_group_, groups[g].size());
      for (const TokenId word : groups[g]) {
        members_.push_back(word);
        rows_[word] = {members, size, g};
      }
    }
    const BottomDistance distance(*model_);
    near_bottom_ = distance.nearest_word();
    rows_[model_->bottom()] = rows_[near_bottom_];
    for (const TokenId member : members(near_bottom_)) bottom_squares_.push_back(distance(member));
  }

  std::int64_t largest_square(const std::vector<TokenId>& group) const {
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        largest = std::max(largest, model_->squared_distance(group[i], group[j]));
    return largest;
  }

  std::shared_ptr<const Model> model_;
  std::vector<Row> rows_;              ///< by input
  std::vector<TokenId> members_;       ///< group by group
  std::vector<std::int64_t> largest_;  ///< by group
  std::vector<std::int64_t> bottom_squares_;
  std::size_t largest_group_ = 0;
  TokenId near_bottom_ = 0;
};

/// Bytes left for rows, shared by the mechanisms of all ε.
using RowRoom = std::atomic<std::int64_t>;

/// Rows are computed when an input first occurs: with per-document budgets there are many ε and few words
/// each.
class Custext final : public IntegerMechanism {
 public:
  Custext(std::shared_ptr<const GroupLayout> layout, double epsilon, std::shared_ptr<RowRoom> room)
      : layout_(std::move(layout)), epsilon_(epsilon), room_(std::move(room)), rows_(layout_->inputs()) {}
  ~Custext() override {
    for (TokenId input = 0; input < rows_.size(); ++input) {
      const std::uint64_t* row = rows_[input].load(std::memory_order_relaxed);
      if (row != nullptr) room_->fetch_add(bytes(input), std::memory_order_relaxed);
      delete[] row;
    }
  }

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<UnbatchedTokens<Custext>>(*this);
  }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    Row scratch;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::span<const TokenId> members = layout_->members(in[i]);
      const std::span<const std::uint64_t> row = cumulative(in[i], scratch);
      const std::uint64_t position = draw_position(bits, row.back());
      out[i] = members[random::find_in_steps(row, position)];
    }
  }

  Guarantee guarantee() const override {
    return {
        .kind = GuaranteeKind::analytic,
        .unit = {},
        .scope = GuaranteeScope::group,
        .epsilon = epsilon_,
        .rho = privacy::multiply_up(epsilon_, epsilon_) / 8,
        .assumptions = {"the keyed stream is indistinguishable from uniform bits"},
        .statement = fmt::format(
            "For any two words of one group the probabilities of each output differ at most by the "
            "factor exp({}). Which of the {} groups a word belongs to is revealed; the one input for words "
            "outside the vocabulary, if it is used, belongs to the group of '{}'.",
            epsilon_, layout_->group_count(), layout_->model().word(layout_->near_bottom()))};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    PureRows rows;
    const TokenId bottom = layout_->model().bottom();
    for (auto left = layout_->all_members(); !left.empty(); left = left.subspan(rows.groups.back().size())) {
      const auto members = layout_->members(left.front());
      rows.groups.emplace_back(members.begin(), members.end());
    }
    rows.groups[layout_->group(bottom)].push_back(bottom);
    rows.row = [this](TokenId word) {
      Row scratch;
      auto row = cumulative(word, scratch);
      if (scratch && row.data() == scratch.get()) {  // over the limit, but the visitor may return to it
        room_->fetch_sub(bytes(word), std::memory_order_relaxed);
        row = {publish(word, scratch), row.size()};
      }
      return PureRow{layout_->members(word), row, 0, row.back()};
    };
    return visitor.visit(rows);
  }

  double distance(TokenId a, TokenId b) const override {
    if (a != b && layout_->group(a) == layout_->group(b)) return 1;
    return Mechanism::distance(a, b);
  }

  std::vector<double> row(TokenId word) const override {
    std::vector<double> probabilities(layout_->model().size());
    const std::span<const TokenId> members = layout_->members(word);
    Row scratch;
    const std::span<const std::uint64_t> row = cumulative(word, scratch);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      probabilities[members[i]] = static_cast<double>(row[i] - before) / static_cast<double>(row.back());
      before = row[i];
    }
    return probabilities;
  }

  std::vector<double> column(TokenId output) const override {
    std::vector<double> probabilities(layout_->model().size());
    for (const TokenId word : layout_->members(output)) probabilities[word] = row(word)[output];
    return probabilities;
  }

 private:
  using Row = std::unique_ptr<std::uint64_t[]>;

  /// The cumulative weights of an input's row; stored in `scratch` if there is no room to keep them.
  std::span<const std::uint64_t> cumulative(TokenId input, Row& scratch) const {
    const std::size_t size = layout_->members(input).size();
    if (const std::uint64_t* row = rows_[input].load(std::memory_order_acquire)) [[likely]]
      return {row, size};
    scratch = make_row(input);
    return {keep(input, scratch), size};
  }

  Row make_row(TokenId input) const {
    const std::vector<std::int64_t> squares = layout_->squares(input);
    const int bits = weight_bits(layout_->largest_group());
    Row row = std::make_unique<std::uint64_t[]>(squares.size());
    const std::span<std::uint64_t> weights(row.get(), squares.size());
    std::fill(weights.begin(), weights.end(), std::uint64_t{1} << bits);
    // If all vectors of a group are equal, u is 1 for all.
    if (layout_->largest(input) > 0)
      weights_of_roots(epsilon_, squares, layout_->largest(input), bits, weights);
    std::partial_sum(weights.begin(), weights.end(), weights.begin());
    return row;
  }

  std::int64_t bytes(TokenId input) const {
    return static_cast<std::int64_t>(layout_->members(input).size() * sizeof(std::uint64_t));
  }

  const std::uint64_t* keep(TokenId input, Row& row) const {
    if (room_->fetch_sub(bytes(input), std::memory_order_relaxed) < bytes(input)) {
      room_->fetch_add(bytes(input), std::memory_order_relaxed);
      return row.get();
    }
    return publish(input, row);
  }

  /// The row's bytes must already have been taken.
  const std::uint64_t* publish(TokenId input, Row& row) const {
    const std::uint64_t* first = nullptr;
    if (rows_[input].compare_exchange_strong(first, row.get(), std::memory_order_acq_rel))
      return row.release();
    room_->fetch_add(bytes(input), std::memory_order_relaxed);  // another thread was faster
    return first;
  }

  std::shared_ptr<const GroupLayout> layout_;
  double epsilon_;
  std::shared_ptr<RowRoom> room_;
  mutable std::vector<std::atomic<const std::uint64_t*>> rows_;
};

}  // namespace

MechanismInfo custext_info() {
  return {.name = "custext",
          .summary = "replaces each word by one of a small group of similar words",
          .metric = "none: pure epsilon inside a group",
          .guarantee = "analytic: pure epsilon between words of one group; the group is revealed",
          .speed = "very fast: ten million words per second, after seconds of preparation",
          .use_when = "meaning matters most, and revealing the group of a word is acceptable",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"k", "20", "words in a group; a whole number from 2 to 1000"}}};
}

Result<MechanismFamily> prepare_custext(const MechanismRequest& request) {
  const Model& model = *request.model;
  if (model.dimension() == 0)
    return fail_parameter("model", model.name(),
                          fmt::format("'{}' has no vectors; give a vector model", model.name()));
  const std::string& k = request.parameters.at("k");
  SOTTO_ASSIGN(const std::uint64_t size, read_integer("parameters.k", k, 2, 1000));
  const std::uint64_t bytes = (model.size() + 1ULL) * (std::min<std::uint64_t>(size, model.size()) + 1) * 8;
  if (bytes > request.resources.memory)
    return fail_parameter(
        "parameters.k", k,
        base::format_message(
            "'{}' needs {} MiB for {} words, and {} are allowed; give a smaller one or more {{memory}}", k,
            (bytes >> 20) + 1, model.size(), request.resources.memory >> 20),
        Errc::limit);
  SOTTO_ASSIGN(const Groups groups,
               build_groups(model, frequency_order(model), size, request.resources.threads));
  // As checked above, all rows of one ε fit.
  auto room = std::make_shared<RowRoom>(static_cast<std::int64_t>(
      std::min<std::uint64_t>(request.resources.memory, std::numeric_limits<std::int64_t>::max())));
  auto layout = std::make_shared<const GroupLayout>(request.model, groups, request.resources.threads);
  return MechanismFamily{[layout = std::move(layout), room = std::move(room)](double epsilon) {
                           return std::make_unique<Custext>(layout, epsilon, room);
                         },
                         model.size() * sizeof(void*)};
}

}  // namespace sotto::mechanism
