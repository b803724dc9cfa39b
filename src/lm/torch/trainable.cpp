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

// SplitMix64's: neighbouring inputs give unrelated outputs.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

at::Tensor mixed(at::Tensor x) {
  const auto number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  // Shifts of signed numbers bring the sign along.
  const auto shifted = [](const at::Tensor& value, std::int64_t by) {
    return at::bitwise_right_shift(value, by).bitwise_and_((std::int64_t{1} << (64 - by)) - 1);
  };
  x = x + number(0x9E3779B97F4A7C15);
  x = shifted(x, 30).bitwise_xor_(x).mul_(number(0xBF58476D1CE4E5B9));
  x = shifted(x, 27).bitwise_xor_(x).mul_(number(0x94D049BB133111EB));
  return shifted(x, 31).bitwise_xor_(x);
}

// What is kept of numbers, and by how much it grows. Each 64 random bits decide about four numbers.
struct Mask {
  explicit Mask(double share)
      : limit(static_cast<std::uint32_t>(share * 65536)),
        kept(static_cast<float>(1 / (1 - static_cast<double>(limit) / 65536))) {}

  at::Tensor on_processor(at::IntArrayRef shape, std::uint64_t seed) const {
    at::Tensor mask = at::empty(shape, at::kFloat);
    auto* const out = mask.data_ptr<float>();
    for (std::int64_t i = 0; i < mask.numel(); i += 4) {
      const std::uint64_t bits = mixed(seed + static_cast<std::uint64_t>(i));
      for (std::int64_t j = 0; j < std::min<std::int64_t>(4, mask.numel() - i); ++j)
        out[i + j] = ((bits >> (16 * j)) & 0xFFFF) < limit ? 0 : kept;
    }
    return mask;
  }

  // The same numbers, made where they are used.
  at::Tensor on(const at::Device& device, at::IntArrayRef shape, std::uint64_t seed) const {
    const at::TensorOptions whole = at::TensorOptions(at::kLong).device(device);
    const std::int64_t count = c10::multiply_integers(shape);
    const at::Tensor bits = mixed(at::arange(0, count, 4, whole) + static_cast<std::int64_t>(seed));
    const at::Tensor parts = at::bitwise_right_shift(bits.unsqueeze(1), at::arange(0, 64, 16, whole));
    const at::Tensor stays = parts.bitwise_and(0xFFFF).ge(static_cast<std::int64_t>(limit));
    return stays.flatten().narrow(0, 0, count).view(shape).to(at::kFloat).mul_(kept);
  }

  std::uint32_t limit;
  float kept;
};

// Gradients that are collected side by side and then added up in order, so that the sum does not depend on
// threads. More would keep more processors busy and take more memory: each is as large as the network.
constexpr std::size_t kLanes = 4;

// body(0), …, body(count − 1) on so many threads; the first exception by number is thrown again.
template <class Body>
void run_parts(std::size_t count, unsigned threads, const Body& body) {
  std::vector<std::exception_ptr> thrown(count);
  parallel_for(count, 1, threads, [&](std::size_t part, std::size_t) {
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
    return guarded([&] {
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
    return guarded([&] { parameters_.keep(); });
  }
  Result<void> recall() override {
    return guarded([&] { parameters_.recall(); });
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
    return guarded([&] {
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
        const Spread inference(1);
        scatter_rows(body(batch_of(input, parts[part])), parts[part], out);
      });
    });
  }

  // By falling length, so that what is computed together is padded little. The parts do not depend on
  // threads, so neither do the last digits.
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
    // A GPU takes the batch whole.
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

  // The part's share of the mean loss of the batch; its gradient is added to `gradient`.
  double derive(const NetworkInput& input, const Members& part, std::span<const float> targets,
                std::size_t batch, std::size_t number, Gradient& gradient) const {
    Dropout dropout(settings_.dropout, mixed(mixed(mixed(settings_.seed) + steps_) + number));
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
  std::vector<Gradient> gradients_;  // one a lane
};

}  // namespace

OneThread::OneThread() : before_(at::get_num_threads()) {
  static const bool kSilenced = [] {
    const Spread silences_blas(1);
    return true;
  }();
  static_cast<void>(kSilenced);
  at::set_num_threads(1);
}

OneThread::~OneThread() {
  at::set_num_threads(before_);
}

at::Tensor Dropout::operator()(const at::Tensor& x) {
  if (share_ == 0) return x;
  state_ = mixed(state_);
  const Mask mask(share_);
  return x * (x.is_cpu() ? mask.on_processor(x.sizes(), state_) : mask.on(x.device(), x.sizes(), state_));
}

std::unique_ptr<TrainableNetwork> make_trainable(std::unique_ptr<const Graph> graph,
                                                 const ParameterList& parameters,
                                                 const NetworkSettings& settings, const Runtime& runtime) {
  return std::make_unique<Trainable>(std::move(graph), parameters, settings, runtime);
}

}  // namespace sotto::lm
