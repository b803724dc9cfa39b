// The writing side of a ledger: charges batches of records, each batch in one transaction that is on the disk
// before the call returns.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "privacy/ledger_chain.hpp"

namespace sotto {

/// A document that costs something. Tag and MAC together are what is released.
struct LedgerDocument {
  DocumentTag tag{};
  NanoEpsilon amount = 0;
  OutputMac mac{};
};

/// A record that wants to be released: all its documents together, or nothing of it.
struct LedgerRequest {
  std::string_view subject;
  std::string_view dataset;
  std::optional<std::string_view> id;  ///< empty: the record number names it
  std::uint64_t record = 0;            ///< from 0
  std::span<const LedgerDocument> documents;
  bool released = false;  ///< the answer
};

/// What a batch is charged in, and how far an account may go.
struct LedgerTerms {
  std::string_view unit;
  NanoEpsilon limit = 0;
  std::chrono::seconds now{};  ///< since 1970
};

/// Sums over the batches of a run.
struct LedgerTotals {
  std::uint64_t charged = 0;   ///< documents that were entered
  std::uint64_t repeated = 0;  ///< documents that were released at no charge: this output is in the ledger
  std::uint64_t withheld = 0;  ///< records
};

/// Not thread-safe, but any thread may call it when no other does. Any number of processes may share a
/// ledger.
class LedgerStore {
 public:
  /// Makes the ledger when there is none, and upgrades one of an older version. `wait_seconds`: how long a
  /// call waits for other processes.
  static Result<std::unique_ptr<LedgerStore>> open(const std::filesystem::path& file, double wait_seconds);
  ~LedgerStore();

  /// `go_on` is asked while charge() waits for other processes; false ends the waiting with
  /// Errc::interrupted.
  void while_waiting(std::function<bool()> go_on);

  /// Decides about the records in their order and enters what is released. A document whose
  /// output is in the ledger costs nothing, one with another output costs as much as the first time; a record
  /// is withheld when its new documents would bring the account of (subject, unit) over the limit. When this
  /// returns, all of it is on the disk; when it fails, none of it is in the ledger.
  Result<void> charge(std::span<LedgerRequest> requests, const LedgerTerms& terms);

  const LedgerId& id() const;
  /// Of all batches so far.
  const LedgerTotals& totals() const;
  /// The number of entries and the head of the chain after the last batch.
  std::uint64_t entries() const;
  const ChainHash& head() const;

 private:
  struct Impl;
  explicit LedgerStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto
