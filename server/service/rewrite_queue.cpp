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
  if (!gains_from_batches_ && desk_ == nullptr && job.bytes() <= kShortBytes) return rewrite_free({&job, 1});
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

BatchOptions RewriteQueue::batch_of(std::size_t bytes) const {
  BatchOptions batch;
  batch.threads = bytes < kLongBytes ? 1 : workers_.threads();
  return batch;
}

void RewriteQueue::rewrite(std::vector<PrivatizeJob> jobs) {
  if (desk_ != nullptr)
    rewrite_charged(jobs);
  else
    rewrite_free(jobs);
}

void RewriteQueue::rewrite_free(std::span<PrivatizeJob> jobs) {
  auto answers = rewritten(jobs);
  if (!answers && jobs.size() > 1) {  // what is wrong with one request is no other's fault
    for (PrivatizeJob& job : jobs) rewrite_free({&job, 1});
    return;
  }
  if (!answers) return jobs.front().answer(tl::unexpected(Failure(answers.error())));
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].answer(std::move((*answers)[i]));
}

Result<std::vector<Privatized>> RewriteQueue::rewritten(std::span<const PrivatizeJob> jobs) const {
  return within_memory([&]() -> Result<std::vector<Privatized>> {
    std::vector<Document> documents;
    std::size_t bytes = 0;
    for (const PrivatizeJob& job : jobs) {
      bytes += job.bytes();
      for (const TextToPrivatize& text : job.texts)
        documents.push_back({{job.dataset, text.id, kField}, text.text});
    }
    std::vector<std::string> outputs(documents.size());
    std::vector<Counts> counts(documents.size());
    if (documents.size() == 1) {  // a batch would take longer to prepare than a short text to rewrite
      SOTTO_ASSIGN(outputs[0], privatizer_->privatize(documents[0].name, documents[0].text, counts[0]));
    } else {
      SOTTO_TRY(privatizer_->privatize(documents, outputs, std::span(counts), batch_of(bytes)));
    }
    std::vector<Privatized> answers(jobs.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (std::size_t text = 0; text < jobs[i].texts.size(); ++text, ++next) {
        answers[i].texts.push_back({Release::released, std::move(outputs[next]), {}});
        answers[i].counts += counts[next];
      }
    }
    return answers;
  });
}

Result<std::vector<UnsettledRecord>> RewriteQueue::unsettled(std::span<const PrivatizeJob> jobs) const {
  return within_memory([&]() -> Result<std::vector<UnsettledRecord>> {
    std::vector<FieldText> fields;
    std::size_t bytes = 0;
    for (const PrivatizeJob& job : jobs) {
      bytes += job.bytes();
      for (const TextToPrivatize& text : job.texts) fields.push_back({kField, text.text});
    }
    std::vector<Record> records;
    for (const PrivatizeJob& job : jobs)
      for (const TextToPrivatize& text : job.texts)
        records.push_back({job.dataset, text.id, text.subject, {&fields[records.size()], 1}});
    std::vector<UnsettledRecord> outputs(records.size());
    SOTTO_TRY(privatizer_->rewrite(records, outputs, batch_of(bytes)));
    return outputs;
  });
}

void RewriteQueue::rewrite_charged(std::span<PrivatizeJob> jobs) {
  auto outputs = unsettled(jobs);
  if (!outputs && jobs.size() > 1) {
    for (PrivatizeJob& job : jobs) rewrite_charged({&job, 1});
    return;
  }
  if (!outputs) return jobs.front().answer(tl::unexpected(Failure(outputs.error())));
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
