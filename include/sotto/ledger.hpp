// The ledger: what each subject has spent, in one SQLite file. A run charges before it releases. This header
// holds a run's ledger options and the functions that read and check a ledger. docs/ledger.md says what a
// ledger promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// How a run uses a ledger.
struct LedgerOptions {
  std::filesystem::path file;  ///< created if it does not exist
  std::string subject_field;   ///< the field of a record that names whose account is charged; see id_field
  double limit = 0;            ///< total ε that a subject may spend, in the unit of the run's guarantee
  double wait_seconds = 60;    ///< how long to wait while other processes write; at most kLongestLedgerWait
  /// A document's name (data set, id and field) is released once, whatever its text, subject and settings: a
  /// record with a document whose name is noted in the ledger, or occurs earlier in the record or the batch,
  /// is refused. Names are noted under this option only.
  bool refuse_repeats = false;
};
inline constexpr double kLongestLedgerWait = 86400;

/// What a ledger decided about a record.
enum class Settled {
  released,  ///< its texts may leave; all they cost is on disk
  withheld,  ///< its subject's limit does not allow it; nothing was charged
  repeated,  ///< one of its documents was released before (LedgerOptions::refuse_repeats); nothing was
             ///< charged
};

/// An amount of ε in units of 1e-9, so that sums are exact. Charges are rounded up, limits down.
using NanoEpsilon = std::int64_t;

/// The exact amount as a decimal number of ε: 1500000000 is "1.5". Thread-safe.
SOTTO_API std::string to_decimal(NanoEpsilon amount);

/// The largest allowed limit; it keeps amounts far from overflow.
inline constexpr double kLargestLimit = 9e9;

/// What a subject has spent in one unit. Amounts in different units never add up.
struct LedgerAccount {
  std::string subject;
  std::string unit;
  NanoEpsilon spent = 0;
  std::uint64_t documents = 0;  ///< number of charges in the sum
};

/// One charge: a released output of a document.
struct LedgerEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, …
  std::string tag;  ///< hex; identifies the document to a holder of the key, and reveals nothing to others
  std::string mac;  ///< hex; the same for its output; empty in entries of version 1
  std::string subject;
  std::string unit;
  NanoEpsilon amount = 0;
  std::int64_t time = 0;  ///< seconds since 1970
  std::string hash;       ///< hex; over this entry and the previous hash
};

/// A record left out of an output because it would have exceeded the limit.
struct WithheldRecord {
  std::string dataset;
  std::string record;  ///< its id, or its number (from 1) if it has none
  bool has_id = false;
  std::string subject;
  std::string unit;
  NanoEpsilon wanted = 0;  ///< what it would have cost
  NanoEpsilon spent = 0;   ///< what the account had spent by then
  NanoEpsilon limit = 0;
  std::int64_t time = 0;
};

struct LedgerUnit {
  std::string name;
  std::uint64_t subjects = 0;
  std::uint64_t documents = 0;
  NanoEpsilon largest = 0;  ///< the largest amount spent by one account
  double mean = 0;          ///< ε per account
};

struct LedgerSummary {
  std::string id;  ///< hex; chosen at random when the ledger was created
  std::uint64_t entries = 0;
  std::string head;  ///< hex; the hash of the last entry
  std::uint64_t withheld = 0;
  std::vector<LedgerUnit> units;
};

/// The outcome of a check.
struct LedgerCheck {
  std::uint64_t entries = 0;
  std::string head;                        ///< of the recomputed chain, as far as it is sound
  std::optional<std::uint64_t> pinned_at;  ///< the entry whose hash is the pinned head; 0: before the first
  std::string problem;                     ///< empty: the ledger is sound. Otherwise what is wrong, and where
  std::uint64_t bad_entry = 0;             ///< the first wrong entry; 0: the problem is elsewhere
};

/// As JSON, ending in a newline; times are in UTC. The schemas are ledger_summary, ledger_accounts,
/// ledger_withheld and ledger_check in docs/schemas/. Thread-safe, as are the three overloads below.
SOTTO_API std::string to_json(const LedgerSummary& summary);
SOTTO_API std::string to_json(std::span<const LedgerAccount> accounts);
SOTTO_API std::string to_json(std::span<const WithheldRecord> records);
SOTTO_API std::string to_json(const LedgerCheck& check);

/// An open ledger, for reading. Runs may write to it concurrently; each call sees a consistent snapshot. Not
/// thread-safe: one thread at a time per object.
class Ledger {
 public:
  /// Fails if the file does not exist, is not a ledger, or was written by a newer version. A ledger of an
  /// older version is read as it is.
  SOTTO_API static Result<std::unique_ptr<Ledger>> open(const std::filesystem::path& file);
  SOTTO_API ~Ledger();

  SOTTO_API Result<LedgerSummary> summary();

  /// The accounts of a subject, one per unit; empty if there are none.
  SOTTO_API Result<std::vector<LedgerAccount>> accounts_of(std::string_view subject);

  /// For each unit, the `count` accounts with the highest spending, largest first.
  SOTTO_API Result<std::vector<LedgerAccount>> top(std::uint64_t count);

  /// Called for each item in turn. An error that it returns ends the iteration and is passed on.
  template <class Item>
  using Visitor = std::function<Result<void>(const Item&)>;

  /// Entries by number, accounts by subject, withheld records by data set and record.
  SOTTO_API Result<void> each_entry(const Visitor<LedgerEntry>& visit);
  SOTTO_API Result<void> each_account(const Visitor<LedgerAccount>& visit);
  SOTTO_API Result<void> each_withheld(const Visitor<WithheldRecord>& visit);

  /// Recomputes the chain and every account. `head` (64 hex digits, or empty) is a head noted earlier, for
  /// example in a receipt; it must occur in the chain. A damaged ledger yields a check with a problem, not an
  /// error.
  SOTTO_API Result<LedgerCheck> verify(std::string_view head = {});

 private:
  struct Impl;
  explicit Ledger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The parts of a ledger that can be exported as rows.
enum class LedgerTable { entries, accounts, withheld };

/// The format of the rows.
enum class RowFormat {
  csv,    ///< with a header, unless there are no rows
  jsonl,  ///< one object per line; docs/schemas/ledger_entry, ledger_account and ledger_withheld_record
};

/// Passes all rows of a table to `write`, in blocks of whole lines. An error that it returns ends the export
/// and is passed on. Not thread-safe: one thread at a time per ledger.
SOTTO_API Result<void> export_ledger(Ledger& ledger, LedgerTable table, RowFormat format,
                                     const std::function<Result<void>(std::string_view text)>& write);

}  // namespace sotto
