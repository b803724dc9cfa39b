// Sits between the rewritten records and the output: whatever the ledger does not allow is withheld.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <sotto/privatize.hpp>

#include "pipeline/rewrite/release_log.hpp"
#include "pipeline/rewrite/rewriter.hpp"

namespace sotto::pipeline {

/// Returns an error unless the options are compatible with a ledger, and with a ledger for files.
Result<void> check_ledger_options(const PrivatizeOptions& options, const LedgerOptions& ledger);
Result<void> check_ledger_options(const PrivatizeOptions& options, const FileOptions& files, Format format);

class LedgerGate {
 public:
  static Result<std::unique_ptr<LedgerGate>> open(const LedgerOptions& options,
                                                  const RewriteContext& context);

  /// Calls `go_on` while settle() waits for other processes; false stops the wait.
  void while_waiting(std::function<bool()> go_on) { store_->while_waiting(std::move(go_on)); }

  /// A log for a thread of this run.
  ReleaseLog make_log() const { return ReleaseLog(epsilon_); }

  /// Charges the records of a chunk, cuts the withheld ones out of `out`, and adds the counts of the others
  /// to `counts`. On success the spending is on disk and `out` may be released; on failure nothing was spent
  /// and nothing may be released. Calls must be serialized.
  Result<void> settle(const ReleaseLog& log, std::string_view dataset, text::OutputBuffer& out,
                      Counts& counts);

  /// Whether record `i` of the most recently settled log may be released.
  bool released(std::size_t i) const { return requests_[i].released; }

  /// What a resumed run must match: the ledger, the field and the limit.
  std::string fingerprint() const;

  /// Documents charged and repeated, and records withheld, so far.
  const privacy::LedgerTotals& totals() const { return store_->totals(); }

  LedgerReceipt receipt() const;

 private:
  LedgerGate(LedgerOptions options, privacy::Decimal epsilon, std::string unit,
             std::unique_ptr<privacy::LedgerStore> store)
      : options_(std::move(options)), epsilon_(epsilon), unit_(std::move(unit)), store_(std::move(store)) {}

  LedgerOptions options_;
  privacy::Decimal epsilon_;
  std::string unit_;
  std::unique_ptr<privacy::LedgerStore> store_;
  std::vector<privacy::LedgerRequest> requests_;
  text::OutputBuffer kept_;
};

}  // namespace sotto::pipeline
