#include "lm/torch/batches.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// Within a batch the longest may exceed the shortest by this factor: padding costs as much as text.
constexpr double kLongest = 1.15;
constexpr std::int64_t kFreeSpread = 2;
// The longest sequences of the first attention group; those of each next one may be twice as long.
constexpr std::int64_t kShortest = 16;

thread_local unsigned spread_threads = 1;

// Members of the batches, in order, and the end of each batch.
struct Plan {
  std::vector<std::uint32_t> members;
  std::vector<std::size_t> ends;
};

Plan plan_batches(std::span<const Sequence> sequences, const Runtime& runtime, Packing packing) {
  Plan plan;
  plan.members.resize(sequences.size());
  std::iota(plan.members.begin(), plan.members.end(), 0U);
  const auto length = [&](std::uint32_t i) { return static_cast<std::int64_t>(sequences[i].ids.size()); };
  std::stable_sort(plan.members.begin(), plan.members.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return length(a) < length(b); });
  std::int64_t total = 0;
  for (const std::uint32_t i : plan.members) total += length(i);
  // A multiple of the number of threads, so that the threads finish together.
  const std::int64_t rounds =
      (total + runtime.threads * runtime.batch_tokens - 1) / (runtime.threads * runtime.batch_tokens);
  const std::int64_t batches = std::max<std::int64_t>(1, rounds * runtime.threads);
  const std::int64_t bound = (total + batches - 1) / batches;
  std::size_t first = 0;
  std::int64_t taken = 0;
  for (std::size_t i = 1; i <= plan.members.size(); ++i) {
    taken += length(plan.members[i - 1]);
    const bool last = i == plan.members.size();
    const std::int64_t longest = last ? 0 : length(plan.members[i]);
    const std::int64_t shortest = length(plan.members[first]);
    const bool alike = packing != Packing::padded || longest <= shortest + kFreeSpread ||
                       static_cast<double>(longest) <= kLongest * static_cast<double>(shortest);
    const std::int64_t size =
        packing != Packing::padded ? taken : static_cast<std::int64_t>(i - first) * longest;
    if (!last && alike && size < bound) continue;
    plan.ends.push_back(i);
    first = i;
    taken = 0;
  }
  return plan;
}

/// 0 within a sequence and −∞ beyond; undefined if nothing is.
at::Tensor padding_mask(std::span<const std::int64_t> lengths, std::int64_t longest, const Runtime& runtime) {
  if (std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t length) { return length == longest; }))
    return {};
  const at::Tensor on_device =
      to_device(std::vector<std::int64_t>(lengths.begin(), lengths.end()), runtime).unsqueeze(1);
  const at::Tensor beyond = at::arange(longest, on_device.options()).unsqueeze(0) >= on_device;
  return at::zeros({on_device.size(0), longest}, on_device.options().dtype(at::kFloat))
      .masked_fill_(beyond, -std::numeric_limits<float>::infinity())
      .view({on_device.size(0), 1, 1, longest});
}

std::int64_t group_bound(std::int64_t length) {
  std::int64_t bound = kShortest;
  while (bound < length) bound *= 2;
  return bound;
}

void group(std::span<const std::int64_t> lengths, const Runtime& runtime, Inputs& inputs) {
  std::vector<std::int64_t> padded_rows;
  std::int64_t padded = 0;
  for (std::size_t first = 0; first < lengths.size();) {
    std::size_t end = first;
    while (end < lengths.size() && group_bound(lengths[end]) == group_bound(lengths[first])) ++end;
    const auto members = lengths.subspan(first, end - first);
    const std::int64_t longest = *std::max_element(members.begin(), members.end());
    std::vector<std::int64_t> rows;
    for (std::size_t i = first; i < end; ++i) {
      for (std::int64_t k = 0; k < longest; ++k)
        rows.push_back(inputs.begins[i] + std::min(k, lengths[i] - 1));
      for (std::int64_t k = 0; k < lengths[i]; ++k) padded_rows.push_back(padded + k);
      padded += longest;
    }
    inputs.groups.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(members.size()),
                             longest, to_device(rows, runtime), padding_mask(members, longest, runtime)});
    first = end;
  }
  inputs.padded_rows = to_device(padded_rows, runtime);
}

}  // namespace

ThreadSpread::ThreadSpread(unsigned threads) : aten_before_(at::get_num_threads()), before_(spread_threads) {
  at::set_num_threads(1);
  spread_threads = threads;
}

ThreadSpread::~ThreadSpread() {
  spread_threads = before_;
  at::set_num_threads(aten_before_);
}

unsigned ThreadSpread::threads() {
  return spread_threads;
}

at::Tensor to_device(const at::Tensor& values, const Runtime& runtime) {
  if (runtime.device.is_cpu()) return values;
  return values.pin_memory().to(runtime.device, /*non_blocking=*/true);
}

at::Tensor to_device(const std::vector<std::int64_t>& values, const Runtime& runtime) {
  return to_device(at::tensor(values, at::TensorOptions(at::kLong)), runtime);
}

Inputs make_inputs(std::span<const Sequence> sequences, std::span<const std::uint32_t> members,
                   const Runtime& runtime, Packing packing) {
  std::vector<std::int64_t> lengths;
  for (const std::uint32_t i : members) lengths.push_back(static_cast<std::int64_t>(sequences[i].ids.size()));
  const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const bool packed = packing != Packing::padded;
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(members.size()), longest};
  if (packed) shape = {1, std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})};
  const auto fill = [&](auto member, bool count_up) {
    at::Tensor result = at::zeros(shape, at::kLong);
    auto* row = result.data_ptr<std::int64_t>();
    for (const std::uint32_t i : members) {
      const std::vector<std::int32_t>& numbers = sequences[i].*member;
      std::copy(numbers.begin(), numbers.end(), row);
      if (count_up && numbers.empty()) std::iota(row, row + sequences[i].ids.size(), std::int64_t{0});
      row += packed ? static_cast<std::int64_t>(sequences[i].ids.size()) : longest;
    }
    return to_device(result, runtime);
  };
  Inputs inputs;
  inputs.ids = fill(&Sequence::ids, false);
  inputs.positions = fill(&Sequence::positions, true);
  inputs.segments = fill(&Sequence::segments, false);
  inputs.pieces = fill(&Sequence::pieces, false);
  inputs.lengths = to_device(lengths, runtime);
  if (!packed) {
    inputs.mask = padding_mask(lengths, longest, runtime);
    return inputs;
  }
  inputs.begins.assign(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), inputs.begins.begin() + 1);
  if (packing == Packing::grouped) group(lengths, runtime, inputs);
  return inputs;
}

void for_each_batch(std::span<const Sequence> sequences, const Runtime& runtime, Packing packing,
                    const std::function<void(std::span<const std::uint32_t>, const Inputs&)>& body) {
  const Plan plan = plan_batches(sequences, runtime, packing);
  std::mutex mutex;
  std::exception_ptr thrown;
  base::parallel_for(plan.ends.size(), 1, runtime.threads, [&](std::size_t begin, std::size_t) {
    try {
      check_stop(runtime);
      const ThreadSpread spread(plan.ends.size() == 1 ? runtime.threads : 1);
      // Longest first, so that the threads finish together.
      const std::size_t batch = plan.ends.size() - 1 - begin;
      const std::size_t first = batch == 0 ? 0 : plan.ends[batch - 1];
      const auto members = std::span(plan.members).subspan(first, plan.ends[batch] - first);
      body(members, make_inputs(sequences, members, runtime, packing));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
}

void scatter_rows(const at::Tensor& rows, std::span<const std::uint32_t> members, std::span<float> out) {
  const at::Tensor local = rows.to(at::kCPU, at::kFloat).contiguous();
  const auto size = static_cast<std::size_t>(local.size(-1));
  for (std::size_t i = 0; i < members.size(); ++i)
    std::copy_n(local.data_ptr<float>() + i * size, size, out.data() + members[i] * size);
}

void copy_rows(const at::Tensor& rows, std::span<float> out) {
  const at::Tensor local = rows.to(at::kCPU, at::kFloat).contiguous();
  std::copy_n(local.data_ptr<float>(), out.size(), out.data());
}

}  // namespace sotto::lm
