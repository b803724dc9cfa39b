#include "lm/torch/trainable.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// Gradients are accumulated in separate lanes and then added up in order, so that the sum does not depend on
// threads. More lanes would keep more processors busy but take more memory: each is as large as the network.
constexpr std::size_t kLanes = 4;

// Runs body(0), …, body(count − 1) on this many threads; rethrows the exception with the lowest number.
template <class Body>
void run_parts(std::size_t count, unsigned threads, const Body& body) {
  std::vector<std::exception_ptr> thrown(count);
  base::parallel_for(count, 1, threads, [&](std::size_t part, std::size_t) {
    try {
      body(part);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : thrown)
    if (failure) std::rethrow_exception(failure);
}

class Trainable final : public TrainableNetwork {
 public:
  Trainable(std::unique_ptr<const Graph> graph, const ParameterList& parameters,
            const NetworkSettings& settings, const Runtime& runtime)
      : graph_(std::move(graph)),
        settings_(settings),
        runtime_(runtime),
        parameters_(parameters, runtime.device) {}

  NetworkLimits limits() const override { return graph_->limits(); }
  std::uint32_t width() const override { return static_cast<std::uint32_t>(graph_->width()); }
  std::uint32_t outputs() const override { return std::max(settings_.classes, 1U); }

  Result<double> learn(const NetworkInput& input, std::span<const std::uint32_t> members,
                       std::span<const float> targets, double learning_rate) override {
    return torch_guarded([&] {
      check_pairs(input);
      if (members.empty() || targets.size() != input.texts.size())
        refuse(Errc::invalid_argument, "a step needs texts, and each text a target");
      for (const std::uint32_t i : members) {
        check_sequences(input.texts.subspan(i, 1), input_limits());
        if (graph_->pairs()) check_sequences(input.partners.subspan(i, 1), input_limits());
      }
      return learn_checked(input, members, targets, learning_rate);
    });
  }

  Result<void> answer(const NetworkInput& input, std::span<float> out) const override {
    return for_each(input, outputs(), out, [&](const GraphInput& batch) {
      Dropout none;
      const Leaves& leaves = parameters_.leaves();
      const at::Tensor answers = graph_->head(leaves, graph_->features(leaves, batch, none), none);
      return settings_.classes == 0 ? answers : answers.softmax(-1);
    });
  }

  Result<void> features(const NetworkInput& input, std::span<float> out) const override {
    return for_each(input, width(), out, [&](const GraphInput& batch) {
      Dropout none;
      return graph_->features(parameters_.leaves(), batch, none);
    });
  }

  Result<void> keep() override {
    return torch_guarded([&] { parameters_.keep(); });
  }
  Result<void> recall() override {
    return torch_guarded([&] { parameters_.recall(); });
  }

 private:
  using Members = std::vector<std::uint32_t>;

  InputLimits input_limits() const {
    const NetworkLimits most = graph_->limits();
    return {most.ids, most.positions, most.segments, most.pieces};
  }

  void check_pairs(const NetworkInput& input) const {
    if (input.partners.size() != (graph_->pairs() ? input.texts.size() : 0))
      refuse(Errc::invalid_argument,
             fmt::format("{} texts with {} partners: the network reads {}", input.texts.size(),
                         input.partners.size(), graph_->pairs() ? "pairs" : "single texts"));
  }

  GraphInput batch_of(const NetworkInput& input, std::span<const std::uint32_t> members) const {
    GraphInput batch{make_inputs(input.texts, members, runtime_), {}};
    if (graph_->pairs()) batch.partners = make_inputs(input.partners, members, runtime_);
    return batch;
  }

  template <class Body>
  Result<void> for_each(const NetworkInput& input, std::size_t numbers, std::span<float> out,
                        const Body& body) const {
    return torch_guarded([&] {
      check_pairs(input);
      check_sequences(input.texts, input_limits());
      check_sequences(input.partners, input_limits());
      if (out.size() != input.texts.size() * numbers)
        refuse(Errc::invalid_argument,
               fmt::format("{} texts need {} numbers each", input.texts.size(), numbers));
      Members all(input.texts.size());
      std::iota(all.begin(), all.end(), 0U);
      const std::vector<Members> parts = cut(input, all, all.size(), runtime_.batch_tokens);
      run_parts(parts.size(), runtime_.threads, [&](std::size_t part) {
        const ThreadSpread inference(1);
        scatter_rows(body(batch_of(input, parts[part])), parts[part], out);
      });
    });
  }

  // Sorted by falling length, so that padding is small. The parts do not depend on threads, so neither do the
  // last digits.
  static std::vector<Members> cut(const NetworkInput& input, std::span<const std::uint32_t> members,
                                  std::size_t most_rows, std::int64_t most_tokens) {
    const auto length = [&](std::uint32_t i) { return input.texts[i].ids.size(); };
    Members sorted(members.begin(), members.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
    std::vector<Members> parts;
    for (const std::uint32_t i : sorted) {
      const bool full =
          parts.empty() || parts.back().size() == most_rows ||
          (parts.back().size() + 1) * length(parts.back()[0]) > static_cast<std::size_t>(most_tokens);
      if (full) parts.emplace_back();
      parts.back().push_back(i);
    }
    return parts;
  }

  double learn_checked(const NetworkInput& input, std::span<const std::uint32_t> members,
                       std::span<const float> targets, double learning_rate) {
    // A GPU takes the whole batch at once.
    const std::size_t rows = runtime_.device.is_cpu() ? graph_->rows_together() : members.size();
    const std::vector<Members> parts = cut(input, members, rows, std::numeric_limits<std::int64_t>::max());
    const std::size_t lanes = std::min(kLanes, parts.size());
    while (gradients_.size() < lanes) gradients_.push_back(parameters_.make_gradient());
    std::vector<double> losses(parts.size());
    ++steps_;
    run_parts(lanes, runtime_.threads, [&](std::size_t lane) {
      const OneThread alone;
      gradients_[lane].flat.zero_();
      for (std::size_t part = lane; part < parts.size(); part += lanes)
        losses[part] = derive(input, parts[part], targets, members.size(), part, gradients_[lane]);
    });
    parameters_.step(std::span(gradients_).first(lanes), learning_rate,
                     {.weight_decay = settings_.weight_decay, .largest_norm = settings_.largest_norm},
                     runtime_.threads);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  // The part's share of the batch's mean loss; adds its gradient to `gradient`.
  double derive(const NetworkInput& input, const Members& part, std::span<const float> targets,
                std::size_t batch, std::size_t number, Gradient& gradient) const {
    Dropout dropout(settings_.dropout, {settings_.seed, steps_, number});
    std::vector<float> wanted;
    for (const std::uint32_t i : part) wanted.push_back(targets[i]);
    const at::Tensor target = at::tensor(wanted).to(runtime_.device);
    const at::Tensor outputs = graph_->head(
        gradient.leaves, graph_->features(gradient.leaves, batch_of(input, part), dropout), dropout);
    const at::Tensor sum =
        settings_.classes == 0
            ? at::mse_loss(outputs.squeeze(-1), target, at::Reduction::Sum)
            : at::cross_entropy_loss(outputs, target.to(at::kLong), {}, at::Reduction::Sum);
    const at::Tensor loss = sum / static_cast<double>(batch);
    loss.backward();
    return loss.item<double>();
  }

  std::unique_ptr<const Graph> graph_;
  NetworkSettings settings_;
  Runtime runtime_;
  Parameters parameters_;
  std::uint64_t steps_ = 0;
  std::vector<Gradient> gradients_;  // one per lane
};

}  // namespace

OneThread::OneThread() : before_(at::get_num_threads()) {
  at::set_num_threads(1);
}

OneThread::~OneThread() {
  at::set_num_threads(before_);
}

std::unique_ptr<TrainableNetwork> make_trainable(std::unique_ptr<const Graph> graph,
                                                 const ParameterList& parameters,
                                                 const NetworkSettings& settings, const Runtime& runtime) {
  return std::make_unique<Trainable>(std::move(graph), parameters, settings, runtime);
}

}  // namespace sotto::lm
