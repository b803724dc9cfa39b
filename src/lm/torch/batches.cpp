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
    const bool alike = packing == Packing::packed || longest <= shortest + kFreeSpread ||
                       static_cast<double>(longest) <= kLongest * static_cast<double>(shortest);
    const std::int64_t size =
        packing == Packing::packed ? taken : static_cast<std::int64_t>(i - first) * longest;
    if (!last && alike && size < bound) continue;
    plan.ends.push_back(i);
    first = i;
    taken = 0;
  }
  return plan;
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

at::Tensor to_device(const std::vector<std::int64_t>& values, const Runtime& runtime) {
  return at::tensor(values, at::TensorOptions(at::kLong)).to(runtime.device);
}

Inputs make_inputs(std::span<const Sequence> sequences, std::span<const std::uint32_t> members,
                   const Runtime& runtime, Packing packing) {
  std::size_t longest = 0;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const std::uint32_t i : members) {
    longest = std::max(longest, sequences[i].ids.size());
    shortest = std::min(shortest, sequences[i].ids.size());
  }
  std::vector<std::int64_t> lengths;
  for (const std::uint32_t i : members) lengths.push_back(static_cast<std::int64_t>(sequences[i].ids.size()));
  const bool packed = packing == Packing::packed;
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(members.size()),
                                     static_cast<std::int64_t>(longest)};
  if (packed) shape = {1, std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})};
  const auto fill = [&](auto member, bool count_up) {
    at::Tensor result = at::zeros(shape, at::kLong);
    auto* row = result.data_ptr<std::int64_t>();
    for (const std::uint32_t i : members) {
      const std::vector<std::int32_t>& numbers = sequences[i].*member;
      std::copy(numbers.begin(), numbers.end(), row);
      if (count_up && numbers.empty()) std::iota(row, row + sequences[i].ids.size(), std::int64_t{0});
      row += packed ? sequences[i].ids.size() : longest;
    }
    return result.to(runtime.device);
  };
  Inputs inputs{fill(&Sequence::ids, false),
                fill(&Sequence::positions, true),
                fill(&Sequence::segments, false),
                fill(&Sequence::pieces, false),
                to_device(lengths, runtime),
                {},
                {}};
  if (packed) {
    inputs.begins.assign(lengths.size() + 1, 0);
    std::partial_sum(lengths.begin(), lengths.end(), inputs.begins.begin() + 1);
  }
  if (packed || shortest == longest) return inputs;
  const at::Tensor beyond =
      at::arange(shape[1], inputs.lengths.options()).unsqueeze(0) >= inputs.lengths.unsqueeze(1);
  inputs.mask = at::zeros(shape, inputs.lengths.options().dtype(at::kFloat))
                    .masked_fill_(beyond, -std::numeric_limits<float>::infinity())
                    .view({shape[0], 1, 1, shape[1]});
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
