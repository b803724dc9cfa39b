// Between the rewritten records of files and their output: whatever the ledger does not allow is withheld.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <sotto/privatize.hpp>

#include "pipeline/charging.hpp"
#include "pipeline/settlement.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// Returns an error unless the options are compatible with the ledger, if there is one.
Result<void> check_ledger_options(const PrivatizeOptions& options, const FileOptions& files, Format format);

class LedgerGate {
 public:
  static Result<std::unique_ptr<LedgerGate>> open(const LedgerOptions& options,
                                                  const RewriteContext& context);

  /// Calls `go_on` while settle() waits for other processes; false stops the wait.
  void while_waiting(std::function<bool()> go_on) { settlement_->while_waiting(std::move(go_on)); }

  /// A log for a thread of this run.
  ReleaseLog make_log() const { return ReleaseLog(charging_.epsilon); }

  /// Charges the records of a chunk, cuts the withheld ones out of `out`, and adds the counts of the others
  /// to `counts`. On success the spending is on disk and `out` may be released; on failure nothing was spent
  /// and nothing may be released. Calls must be serialized.
  Result<void> settle(const ReleaseLog& log, std::string_view dataset, text::OutputBuffer& out,
                      Counts& counts);

  /// What a resumed run must match.
  std::string fingerprint() const { return settlement_->fingerprint(); }

  LedgerReceipt receipt() const { return settlement_->receipt(); }

 private:
  LedgerGate(Charging charging, std::unique_ptr<Settlement> settlement)
      : charging_(std::move(charging)), settlement_(std::move(settlement)) {}

  Charging charging_;
  std::unique_ptr<Settlement> settlement_;
  text::OutputBuffer kept_;
};

}  // namespace sotto::pipeline
