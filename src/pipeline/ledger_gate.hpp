// Stands between the rewritten records and the output: what the ledger does not allow stays behind.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <sotto/privatize.hpp>

#include "pipeline/release_log.hpp"
#include "pipeline/rewriter.hpp"

namespace sotto {

/// An error unless the options go together with a ledger, and with a ledger for files.
Result<void> check_ledger_options(const PrivatizeOptions& options, const LedgerOptions& ledger);
Result<void> check_ledger_options(const PrivatizeOptions& options, const FileOptions& files, Format format);

class LedgerGate {
 public:
  static Result<std::unique_ptr<LedgerGate>> open(const LedgerOptions& options,
                                                  const RewriteContext& context);

  /// `go_on` is asked while settle() waits for other processes; false: stop.
  void while_waiting(std::function<bool()> go_on) { store_->while_waiting(std::move(go_on)); }

  /// A log for a thread of this run.
  ReleaseLog make_log() const { return ReleaseLog(epsilon_); }

  /// Charges the records of a chunk, cuts those that are withheld out of `out`, and adds the counts of the
  /// others to `counts`. When it returns, the spending is on the disk and `out` may be released; when it
  /// fails, nothing was spent and nothing may be released. Calls must be serialized.
  Result<void> settle(const ReleaseLog& log, std::string_view dataset, OutputBuffer& out, Counts& counts);

  /// Whether record `i` of the log that was settled last may be released.
  bool released(std::size_t i) const { return requests_[i].released; }

  /// What a resumed run must find again: the ledger, the field and the limit.
  std::string fingerprint() const;

  /// What was charged, repeated and withheld so far.
  const LedgerTotals& totals() const { return store_->totals(); }

  LedgerReceipt receipt() const;

 private:
  LedgerGate(LedgerOptions options, Decimal epsilon, std::string unit, std::unique_ptr<LedgerStore> store)
      : options_(std::move(options)), epsilon_(epsilon), unit_(std::move(unit)), store_(std::move(store)) {}

  LedgerOptions options_;
  Decimal epsilon_;
  std::string unit_;
  std::unique_ptr<LedgerStore> store_;
  std::vector<LedgerRequest> requests_;
  OutputBuffer kept_;
};

}  // namespace sotto
