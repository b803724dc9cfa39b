// The writing side of a ledger: charges batches of records, each in one transaction that is on disk before
// the call returns.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "privacy/ledger_chain.hpp"

namespace sotto::privacy {

/// A document that costs something. Tag and MAC together identify what is released.
struct LedgerDocument {
  DocumentTag tag{};
  NanoEpsilon amount = 0;
  OutputMac mac{};
};

/// A request to release a record: all its documents or nothing. `names` are those of all its documents,
/// `documents` those that cost something.
struct LedgerRequest {
  std::string_view subject;
  std::string_view dataset;
  std::optional<std::string_view> id;  ///< empty: identified by the record number
  std::uint64_t record = 0;            ///< from 0
  std::span<const LedgerDocument> documents;
  std::span<const DocumentNameTag> names = {};
  Settled settled = Settled::withheld;  ///< the result
};

/// The unit a batch is charged in, the limit of an account, and whether a name is released only once.
struct LedgerTerms {
  std::string_view unit;
  NanoEpsilon limit = 0;
  std::chrono::seconds now{};  ///< since 1970
  bool refuse_repeats = false;
};

/// Sums over the batches of a run.
struct LedgerTotals {
  std::uint64_t charged = 0;   ///< documents entered
  std::uint64_t repeated = 0;  ///< documents released at no charge: this output is already in the ledger
  std::uint64_t withheld = 0;  ///< records
};

/// Not thread-safe, but any thread may call it while no other does. Any number of processes may share a
/// ledger.
class LedgerStore {
 public:
  /// Creates the ledger if there is none, and upgrades an older version. A call waits up to `wait_seconds`
  /// for other processes.
  static Result<std::unique_ptr<LedgerStore>> open(const std::filesystem::path& file, double wait_seconds);
  ~LedgerStore();

  /// Polls `go_on` while charge() waits for other processes; false stops the wait with Errc::interrupted.
  void while_waiting(std::function<bool()> go_on);

  /// Decides about the records in order and enters what is released. A document whose output is in the ledger
  /// costs nothing; one with a different output costs as much as the first time. A record is withheld if its
  /// new documents would take the account of (subject, unit) over the limit. If repeats are refused, the
  /// names of a released record are noted, and a record with a noted name is refused. On success everything
  /// is on disk; on failure none of it is in the ledger.
  Result<void> charge(std::span<LedgerRequest> requests, const LedgerTerms& terms);

  const LedgerId& id() const;
  /// Over all batches so far.
  const LedgerTotals& totals() const;
  /// The number of entries and the head of the chain after the last batch.
  std::uint64_t entries() const;
  const ChainHash& head() const;

 private:
  struct Impl;
  explicit LedgerStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::privacy
