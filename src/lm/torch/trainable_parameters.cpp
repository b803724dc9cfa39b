#include "lm/torch/trainable_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ATen/CPUGeneratorImpl.h>

#include "base/parallel.hpp"
#include "lm/torch/trainable.hpp"

namespace sotto::lm {
namespace {

// Numbers handled by one part of a step: its data stays in a processor's second-level cache.
constexpr std::int64_t kPiece = 1 << 15;
constexpr std::size_t kPiecesAtOnce = 16;

}  // namespace

ParameterList::ParameterList(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

Leaf ParameterList::add(const at::Tensor& start) {
  starts_.push_back(start);
  return starts_.size() - 1;
}

Leaf ParameterList::add_uniform(const std::vector<std::int64_t>& shape, double largest) {
  return add(at::empty(shape).uniform_(-largest, largest, generator_));
}

Leaf ParameterList::add_normal(const std::vector<std::int64_t>& shape, double deviation) {
  return add(at::empty(shape).normal_(0, deviation, generator_));
}

Parameters::Parameters(const ParameterList& list, const at::Device& device) {
  std::int64_t total = 0;
  for (const at::Tensor& start : list.starts()) {
    shapes_.push_back(start.sizes().vec());
    if (start.dim() > 1) decaying_.push_back({total, start.numel()});
    total += start.numel();
  }
  // A GPU takes all at once.
  const std::int64_t most = device.is_cpu() ? kPiece : total;
  for (std::int64_t at = 0; at < total; at += most) pieces_.push_back({at, std::min(most, total - at)});
  flat_ = at::empty({total}, at::TensorOptions(at::kFloat).device(device));
  const Leaves parts = views(flat_);
  for (std::size_t i = 0; i < parts.size(); ++i) at::Tensor(parts[i]).copy_(list.starts()[i]);
  first_moment_ = at::zeros_like(flat_);
  second_moment_ = at::zeros_like(flat_);
  leaves_ = views(flat_);
}

Leaves Parameters::views(const at::Tensor& flat) const {
  Leaves result;
  std::int64_t offset = 0;
  for (const std::vector<std::int64_t>& shape : shapes_) {
    const std::int64_t count = c10::multiply_integers(shape);
    // For autograd not a view but a separate leaf that shares the memory.
    result.push_back(flat.narrow(0, offset, count).view(shape).variable_data());
    offset += count;
  }
  return result;
}

Gradient Parameters::make_gradient() const {
  Gradient gradient{at::zeros_like(flat_), views(flat_)};
  const Leaves parts = views(gradient.flat);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    gradient.leaves[i].set_requires_grad(true);
    gradient.leaves[i].mutable_grad() = parts[i];
  }
  return gradient;
}

// Returns the norm of the sum.
double Parameters::add_up(std::span<Gradient> gradients, unsigned threads) const {
  std::vector<double> squares(pieces_.size());
  base::parallel_for(pieces_.size(), kPiecesAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    const OneThread alone;
    for (std::size_t i = begin; i < end; ++i) {
      at::Tensor sum = gradients[0].flat.narrow(0, pieces_[i].offset, pieces_[i].count);
      for (const Gradient& other : gradients.subspan(1))
        sum.add_(other.flat.narrow(0, pieces_[i].offset, pieces_[i].count));
      squares[i] = sum.dot(sum).item<double>();
    }
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

void Parameters::step(std::span<Gradient> gradients, double learning_rate, const AdamSettings& settings,
                      unsigned threads) {
  ++steps_;
  if (flat_.device() != at::kCPU) threads = 1;
  const double norm = add_up(gradients, threads);
  const at::Tensor& gradient = gradients[0].flat;
  if (settings.weight_decay > 0) decay(1 - learning_rate * settings.weight_decay, threads);
  const double shrink = settings.largest_norm > 0 ? std::min(1.0, settings.largest_norm / norm) : 1.0;
  base::parallel_for(pieces_.size(), kPiecesAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    const OneThread alone;
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = pieces_[i];
      const at::Tensor part = gradient.narrow(0, piece.offset, piece.count);
      step_piece(piece, shrink < 1 ? part * shrink : part, learning_rate, settings);
    }
  });
}

void Parameters::decay(double factor, unsigned threads) {
  base::parallel_for(decaying_.size(), 1, threads, [&](std::size_t matrix, std::size_t) {
    const OneThread alone;
    flat_.narrow(0, decaying_[matrix].offset, decaying_[matrix].count).mul_(factor);
  });
}

void Parameters::step_piece(const Piece& piece, const at::Tensor& slope, double learning_rate,
                            const AdamSettings& settings) {
  const auto part = [&](const at::Tensor& all) { return all.narrow(0, piece.offset, piece.count); };
  const auto steps = static_cast<double>(steps_);
  const double first_correction = 1 - std::pow(settings.first_decay, steps);
  const double second_correction = 1 - std::pow(settings.second_decay, steps);
  at::Tensor weights = part(flat_);
  at::Tensor first = part(first_moment_);
  at::Tensor second = part(second_moment_);
  first.lerp_(slope, 1 - settings.first_decay);
  second.mul_(settings.second_decay).addcmul_(slope, slope, 1 - settings.second_decay);
  const at::Tensor scale = second.sqrt().div_(std::sqrt(second_correction)).add_(settings.epsilon);
  weights.addcdiv_(first, scale, -learning_rate / first_correction);
}

void Parameters::keep() {
  kept_ = flat_.clone();
}

void Parameters::recall() {
  if (kept_.defined()) flat_.copy_(kept_);
}

}  // namespace sotto::lm
