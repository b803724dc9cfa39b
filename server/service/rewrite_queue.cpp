#include "service/rewrite_queue.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <sotto/budget_plan.hpp>

namespace sotto::server {
namespace {

constexpr std::string_view kField = "text";
constexpr std::size_t kShortBytes = 4096;                 // not worth another thread
constexpr std::size_t kLongBytes = std::size_t{1} << 16;  // worth several
constexpr std::size_t kBatchBytes = std::size_t{1} << 18;
constexpr std::chrono::microseconds kLongestWait{300};

/// Whether the mechanism is faster on the words of several texts.
bool gains_from_batches(const PrivatizeOptions& options) {
  if (options.document_budget || rewrites_whole_texts(options.mechanism.name)) return true;
  const auto open = open_mechanism(options.mechanism);
  return !open || open->mechanism->good_batch() > 1;
}

template <class F>
auto within_memory(F&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(Errc::io, "out of memory");
  }
}

}  // namespace

std::shared_ptr<RewriteQueue> RewriteQueue::of(const PrivatizeOptions& options,
                                               std::unique_ptr<Privatizer> privatizer, LedgerDesk* desk,
                                               WorkerPool& workers) {
  return std::shared_ptr<RewriteQueue>(new RewriteQueue(options, std::move(privatizer), desk, workers));
}

RewriteQueue::RewriteQueue(const PrivatizeOptions& options, std::unique_ptr<Privatizer> privatizer,
                           LedgerDesk* desk, WorkerPool& workers)
    : options_(options),
      privatizer_(std::move(privatizer)),
      desk_(desk),
      workers_(workers),
      receipts_(*privatizer_),
      guarantee_(privatizer_->receipt().guarantee),
      unit_(unit_name(guarantee_.unit)),
      gains_from_batches_(server::gains_from_batches(options)) {}

double RewriteQueue::epsilon_of(const Counts& counts) const {
  if (guarantee_.kind == GuaranteeKind::none || options_.seed) return 0;
  if (options_.document_budget) return counts.epsilon_sum;
  return guarantee_.epsilon * static_cast<double>(counts.privatized);
}

void RewriteQueue::push(PrivatizeJob job) {
  if (!gains_from_batches_ && desk_ == nullptr && job.bytes() <= kShortBytes) {
    auto result = rewritten(job);
    job.done(result ? Outcome<Privatized>(std::move(*result)) : tl::unexpected(Failure(result.error())));
    return;
  }
  bool needs_worker = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    needs_worker = serving_ < workers_.threads();
    if (needs_worker) ++serving_;
  }
  arrived_.notify_one();
  if (needs_worker) workers_.post([self = shared_from_this()] { self->serve(); });
}

/// One batch; then the queues of other mechanisms have their turn.
void RewriteQueue::serve() {
  if (std::vector<PrivatizeJob> jobs = take(); !jobs.empty()) rewrite(std::move(jobs));
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      --serving_;
      return;
    }
  }
  workers_.post([self = shared_from_this()] { self->serve(); });
}

std::vector<PrivatizeJob> RewriteQueue::take() {
  std::unique_lock lock(mutex_);
  if (gains_from_batches_ && !waiting_.empty())
    arrived_.wait_for(lock, kLongestWait, [this] { return waiting_.size() >= expected_; });
  std::vector<PrivatizeJob> jobs;
  for (std::size_t bytes = 0; !waiting_.empty() && bytes < kBatchBytes; waiting_.pop_front()) {
    bytes += waiting_.front().bytes();
    jobs.push_back(std::move(waiting_.front()));
  }
  expected_ = std::max<std::size_t>(jobs.size(), 1);
  return jobs;
}

unsigned RewriteQueue::threads_for(std::size_t bytes) const {
  return bytes < kLongBytes ? 1 : workers_.threads();
}

void RewriteQueue::rewrite(std::vector<PrivatizeJob> jobs) {
  if (desk_ != nullptr) return rewrite_charged(std::move(jobs));
  for (PrivatizeJob& job : jobs) {
    auto result = rewritten(job);
    job.done(result ? Outcome<Privatized>(std::move(*result)) : tl::unexpected(Failure(result.error())));
  }
}

Result<Privatized> RewriteQueue::rewritten(const PrivatizeJob& job) const {
  return within_memory([&]() -> Result<Privatized> {
    std::vector<Document> documents;
    for (const TextToPrivatize& text : job.texts)
      documents.push_back({{job.dataset, text.id, kField}, text.text});
    std::vector<std::string> outputs(documents.size());
    Privatized answer;
    BatchOptions batch;
    batch.threads = threads_for(job.bytes());
    SOTTO_TRY(privatizer_->privatize(documents, outputs, answer.counts, batch));
    for (std::string& output : outputs) answer.texts.push_back({Release::released, std::move(output), {}});
    return answer;
  });
}

Result<std::vector<UnsettledRecord>> RewriteQueue::unsettled(const std::vector<PrivatizeJob>& jobs) const {
  return within_memory([&]() -> Result<std::vector<UnsettledRecord>> {
    std::vector<FieldText> fields;
    std::size_t bytes = 0;
    for (const PrivatizeJob& job : jobs)
      for (const TextToPrivatize& text : job.texts) fields.push_back({kField, text.text});
    std::vector<Record> records;
    for (const PrivatizeJob& job : jobs) {
      bytes += job.bytes();
      for (const TextToPrivatize& text : job.texts)
        records.push_back({job.dataset, text.id, text.subject, {&fields[records.size()], 1}});
    }
    std::vector<UnsettledRecord> outputs(records.size());
    BatchOptions batch;
    batch.threads = threads_for(bytes);
    SOTTO_TRY(privatizer_->rewrite(records, outputs, batch));
    return outputs;
  });
}

void RewriteQueue::rewrite_charged(std::vector<PrivatizeJob> jobs) {
  auto outputs = unsettled(jobs);
  if (!outputs && jobs.size() > 1) {  // what is wrong with one request is no other's fault
    for (PrivatizeJob& job : jobs) {
      std::vector<PrivatizeJob> alone;
      alone.push_back(std::move(job));
      rewrite_charged(std::move(alone));
    }
    return;
  }
  if (!outputs) return jobs.front().done(tl::unexpected(Failure(outputs.error())));
  std::vector<UnsettledJob> charged;
  auto next = std::make_move_iterator(outputs->begin());
  for (PrivatizeJob& job : jobs) {
    const auto end = next + static_cast<std::ptrdiff_t>(job.texts.size());
    charged.push_back({std::move(job), {next, end}});
    next = end;
  }
  desk_->settle(std::move(charged));
}

}  // namespace sotto::server
