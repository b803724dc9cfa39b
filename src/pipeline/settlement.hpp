// An open ledger in use. Everything that is charged, from files, batches or claims, is charged here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sotto/receipt.hpp>

#include "pipeline/rewrite/release_log.hpp"

namespace sotto::pipeline {

/// Returns an error unless the limit and the time to wait are allowed.
Result<void> check_ledger_options(const LedgerOptions& options);

/// Returns an error if a document of the log has no output.
Result<void> check_complete(const ReleaseLog& log);

/// The requests for the records of a complete log, which must outlive them.
Result<std::vector<privacy::LedgerRequest>> requests_of(const ReleaseLog& log, std::string_view dataset);

/// Adds what became of a record to `counts`; `record` are its own.
void count(Settled settled, const Counts& record, Counts& counts);

/// Not thread-safe.
class Settlement {
 public:
  /// `unit`: of all charges; empty: that of the first.
  static Result<std::unique_ptr<Settlement>> open(const LedgerOptions& options, std::string unit);

  /// Calls `go_on` while settle() waits for other processes; false stops the wait.
  void while_waiting(std::function<bool()> go_on) { store_->while_waiting(std::move(go_on)); }

  /// Decides about records in order, in one transaction. On success the spending is on disk; on failure
  /// nothing was spent, and nothing may be released.
  Result<void> settle(std::span<privacy::LedgerRequest> requests, std::string_view unit);

  /// What a resumed run must match: the ledger, the field, the limit and what happens to repeats.
  std::string fingerprint() const;

  LedgerReceipt receipt() const;

 private:
  Settlement(LedgerOptions options, std::string unit, std::unique_ptr<privacy::LedgerStore> store)
      : options_(std::move(options)), unit_(std::move(unit)), store_(std::move(store)) {}

  LedgerOptions options_;
  std::string unit_;
  std::unique_ptr<privacy::LedgerStore> store_;
};

}  // namespace sotto::pipeline
