// Jobs for one configuration of a mechanism, put together across requests.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <sotto/privatizer.hpp>

#include "service/ledger_desk.hpp"
#include "service/privatization.hpp"
#include "service/receipt_text.hpp"
#include "service/worker_pool.hpp"

namespace sotto::server {

/// An open mechanism and what waits for it. Some mechanisms are many times faster on a thousand words than on
/// ten, so a worker takes all that waits, and waits a moment itself where that has helped before. The output
/// does not depend on it. Safe to use from several threads.
class RewriteQueue : public std::enable_shared_from_this<RewriteQueue> {
 public:
  /// `desk` (null: no ledger) and `workers` must outlive it.
  static std::shared_ptr<RewriteQueue> of(const PrivatizeOptions& options,
                                          std::unique_ptr<Privatizer> privatizer, LedgerDesk* desk,
                                          WorkerPool& workers);

  /// Takes a job; a short one is done at once where batches are no faster.
  void push(PrivatizeJob job);

  const PrivatizeOptions& options() const { return options_; }
  const Privatizer& privatizer() const { return *privatizer_; }
  LedgerDesk* desk() const { return desk_; }
  ReceiptText& receipts() { return receipts_; }
  /// What ε multiplies, for people and dashboards.
  const std::string& unit() const { return unit_; }
  /// The ε of all tokens counted; 0 if the mechanism promises nothing.
  double epsilon_of(const Counts& counts) const;

 private:
  RewriteQueue(const PrivatizeOptions& options, std::unique_ptr<Privatizer> privatizer, LedgerDesk* desk,
               WorkerPool& workers);
  void serve();
  std::vector<PrivatizeJob> take();
  void rewrite(std::vector<PrivatizeJob> jobs);
  Result<std::vector<Privatized>> rewritten(std::span<const PrivatizeJob> jobs) const;
  void rewrite_free(std::span<PrivatizeJob> jobs);
  Result<std::vector<UnsettledRecord>> unsettled(std::span<const PrivatizeJob> jobs) const;
  void rewrite_charged(std::span<PrivatizeJob> jobs);
  BatchOptions batch_of(std::size_t bytes) const;

  const PrivatizeOptions options_;
  const std::unique_ptr<Privatizer> privatizer_;
  LedgerDesk* const desk_;
  WorkerPool& workers_;
  ReceiptText receipts_;
  const Guarantee guarantee_;  // for a token
  const std::string unit_;
  const bool gains_from_batches_;

  std::mutex mutex_;  // for all below
  std::condition_variable arrived_;
  std::deque<PrivatizeJob> waiting_;
  std::size_t expected_ = 1;  // jobs in the last batch: so many are likely to be there again in a moment
  unsigned serving_ = 0;      // workers
};

}  // namespace sotto::server
