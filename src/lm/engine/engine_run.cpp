#include "lm/engine/engine_run.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "lm/failure.hpp"
#include "lm/float_mode.hpp"

namespace sotto::lm {
namespace {

// Rows of a batch: with them, a layer's states and a panel of weights fit the second-level cache.
constexpr std::size_t kBatchRows = 256;

}  // namespace

EngineRun::EngineRun(const LanguageModelResources& resources)
    : threads_(base::thread_count(resources.threads)), go_on_(resources.go_on) {}

void EngineRun::for_each_batch(
    std::span<const Sequence> sequences,
    const std::function<void(const EngineBatch& batch, Workspace& work)>& body) const {
  std::size_t total = 0;
  for (const Sequence& sequence : sequences) total += sequence.ids.size();
  // As many for each thread, all of about the same size.
  const std::size_t rounds = (total + kBatchRows * threads_ - 1) / (kBatchRows * threads_);
  const std::size_t count = rounds * threads_;
  std::vector<EngineBatch> batches;
  std::size_t before = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::size_t rows = sequences[i].ids.size();
    const std::size_t number = (2 * before + rows) * count / (2 * total + 1);
    if (batches.empty() || number != last) batches.push_back({i, {}, {0}});
    last = number;
    before += rows;
    EngineBatch& batch = batches.back();
    batch.begins.push_back(static_cast<std::uint32_t>(batch.begins.back() + rows));
    batch.sequences = sequences.subspan(batch.first, batch.begins.size() - 1);
  }
  base::parallel_for(batches.size(), 1, threads_, [&](std::size_t begin, std::size_t) {
    if (go_on_ && !go_on_()) refuse(Errc::interrupted, "interrupted");
    const FloatMode mode;
    std::unique_ptr<Workspace> work;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        work = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!work) work = std::make_unique<Workspace>();
    body(batches[begin], *work);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(work));
  });
}

}  // namespace sotto::lm
