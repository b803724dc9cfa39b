#include "lm/torch/word_drawer.hpp"

#include <algorithm>
#include <numeric>
#include <semaphore>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lm/torch/device_law.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// With what the law makes of them, some gigabytes.
constexpr std::int64_t kScoresTogether = 1 << 25;
// While the device works on the draws of one thread, another one queues its own.
constexpr std::ptrdiff_t kThreadsTogether = 2;

/// The outputs that share a group.
class OutputGroups {
 public:
  explicit OutputGroups(std::span<const std::int32_t> group) : group_(group) {
    members_.resize(group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + std::size_t{1});
    for (std::size_t i = 0; i < group.size(); ++i)
      members_[static_cast<std::size_t>(group[i])].push_back(static_cast<std::int64_t>(i));
  }
  std::span<const std::int64_t> with(std::uint32_t output) const {
    return members_[static_cast<std::size_t>(group_[output])];
  }

 private:
  std::span<const std::int32_t> group_;
  std::vector<std::vector<std::int64_t>> members_;
};

class Turn {
 public:
  explicit Turn(std::counting_semaphore<kThreadsTogether>& turns) : turns_(turns) { turns_.acquire(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { turns_.release(); }

 private:
  std::counting_semaphore<kThreadsTogether>& turns_;
};

class TorchWordDrawer final : public WordDrawer {
 public:
  TorchWordDrawer(DrawnModel model, const PublicLaw& law)
      : model_(std::move(model)), law_(law, model_.runtime.device), groups_(model_.penalty.group) {
    std::vector<std::int64_t> columns(law.outcomes.begin(), law.outcomes.end());
    std::vector<std::int64_t> in_order(columns.size());
    std::iota(in_order.begin(), in_order.end(), 0);
    if (columns != in_order) columns_ = to_device(columns, model_.runtime);
  }

  Result<void> draw(std::span<const Sequence> sequences, std::span<const std::vector<std::uint32_t>> places,
                    std::span<const WordDraw> draws, std::span<std::uint32_t> outcomes) const override {
    return torch_guarded([&] {
      const std::vector<std::uint32_t> firsts =
          check_place_lists(sequences, places, model_.limits, {1, outcomes.size()});
      if (draws.size() != outcomes.size())
        refuse(Errc::invalid_argument, fmt::format("{} places need a draw each", outcomes.size()));
      const Turn turn(turns_);
      const auto body = [&](std::span<const std::uint32_t> members, const Inputs& inputs) {
        std::vector<std::int64_t> rows;
        std::vector<std::uint32_t> asked;
        for (std::size_t i = 0; i < members.size(); ++i) {
          const std::uint32_t member = members[i];
          for (std::size_t k = 0; k < places[member].size(); ++k) {
            rows.push_back(inputs.begins[i] + places[member][k]);
            asked.push_back(firsts[member] + static_cast<std::uint32_t>(k));
          }
        }
        const at::Tensor states =
            model_.states(inputs).flatten(0, 1).index_select(0, to_device(rows, model_.runtime));
        draw_rows(states, asked, draws, outcomes);
      };
      for_each_batch(sequences, model_.runtime, Packing::grouped, body);
    });
  }

 private:
  /// asked[i] is the draw from row i.
  void draw_rows(const at::Tensor& states, std::span<const std::uint32_t> asked,
                 std::span<const WordDraw> draws, std::span<std::uint32_t> outcomes) const {
    std::vector<at::Tensor> drawn;
    const auto count = static_cast<std::int64_t>(asked.size());
    for (std::int64_t first = 0, rows = 1; first < count; first += rows) {
      rows = std::min(rows_together(), count - first);
      std::vector<WordDraw> some;
      for (std::int64_t i = first; i < first + rows; ++i)
        some.push_back(draws[asked[static_cast<std::size_t>(i)]]);
      drawn.push_back(draw_some(model_.scores(states.narrow(0, first, rows)), some));
    }
    const at::Tensor all = at::cat(drawn).to(at::kCPU).contiguous();
    const auto* const outcome = all.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < asked.size(); ++i)
      outcomes[asked[i]] = static_cast<std::uint32_t>(outcome[i]);
  }

  std::int64_t rows_together() const { return std::max<std::int64_t>(1, kScoresTogether / model_.outputs); }

  at::Tensor draw_some(at::Tensor scores, std::span<const WordDraw> draws) const {
    lower_own(draws, scores);
    if (columns_.defined()) scores = scores.index_select(1, columns_);
    const auto rows = static_cast<std::int64_t>(draws.size());
    at::Tensor factors = at::empty({rows, 1}, at::kFloat);
    at::Tensor points = at::empty({rows, 1}, at::kLong);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      factors.data_ptr<float>()[i] = draws[i].factor;
      points.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(draws[i].point);
    }
    const at::Tensor weights = law_.weights(scores, to_device(factors, model_.runtime));
    return law_.outcomes(weights, to_device(points, model_.runtime));
  }

  void lower_own(std::span<const WordDraw> draws, const at::Tensor& scores) const {
    if (model_.penalty.of_word.empty()) return;
    std::vector<std::int64_t> places;
    std::vector<float> penalties;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      if (draws[i].own == WordDraw::kNone) continue;
      for (const std::int64_t output : groups_.with(draws[i].own)) {
        places.push_back(static_cast<std::int64_t>(i) * scores.size(1) + output);
        penalties.push_back(-model_.penalty.of_word[draws[i].own]);
      }
    }
    if (places.empty()) return;
    const at::Tensor values = at::tensor(penalties, at::TensorOptions(at::kFloat));
    scores.view({-1}).index_add_(0, to_device(places, model_.runtime), to_device(values, model_.runtime));
  }

  DrawnModel model_;
  DeviceLaw law_;
  OutputGroups groups_;
  at::Tensor columns_;  // of the outcomes; undefined if they are all outputs in order
  mutable std::counting_semaphore<kThreadsTogether> turns_{kThreadsTogether};
};

}  // namespace

std::unique_ptr<const WordDrawer> make_word_drawer(DrawnModel model, const PublicLaw& law) {
  return std::make_unique<const TorchWordDrawer>(std::move(model), law);
}

}  // namespace sotto::lm
