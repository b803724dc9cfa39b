// The ledger: what each subject has spent, in one SQLite file. A run charges before it releases; this header
// holds what a run is told about its ledger, and the reading and checking of one. docs/ledger.md says what a
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

#include <sotto/result.hpp>

namespace sotto {

/// How a run uses a ledger.
struct LedgerOptions {
  std::filesystem::path file;  ///< made when it is not there
  std::string subject_field;   ///< the field of a record that names whose account is charged
  double limit = 0;            ///< ε a subject may spend in all, in the unit of the run's guarantee
  double wait_seconds = 60;    ///< how long to wait while other processes write
};

/// An amount of ε in units of 1e-9, so that sums are exact. Charges are rounded up, limits down.
using NanoEpsilon = std::int64_t;

/// The amount as a decimal number of ε, exactly: 1500000000 is "1.5".
std::string to_decimal(NanoEpsilon amount);

/// The largest limit; amounts stay far from overflow.
inline constexpr double kLargestLimit = 9e9;

/// What a subject has spent in one unit. Amounts in different units never add up.
struct LedgerAccount {
  std::string subject;
  std::string unit;
  NanoEpsilon spent = 0;
  std::uint64_t documents = 0;  ///< how many charges the sum consists of
};

/// One charge: an output of a document that was released.
struct LedgerEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, …
  std::string tag;           ///< hex; names the document to whoever has the key, and says nothing to others
  std::string mac;           ///< hex; the same for the output it had; empty in entries of version 1
  std::string subject;
  std::string unit;
  NanoEpsilon amount = 0;
  std::int64_t time = 0;  ///< seconds since 1970
  std::string hash;       ///< hex; of this entry and the hash before it
};

/// A record that was left out of an output because it would have gone over the limit.
struct WithheldRecord {
  std::string dataset;
  std::string record;  ///< its id, or its number (from 1) when it has none
  bool has_id = false;
  std::string subject;
  std::string unit;
  NanoEpsilon wanted = 0;  ///< what it would have cost
  NanoEpsilon spent = 0;   ///< what the account held then
  NanoEpsilon limit = 0;
  std::int64_t time = 0;
};

struct LedgerUnit {
  std::string name;
  std::uint64_t subjects = 0;
  std::uint64_t documents = 0;
  NanoEpsilon largest = 0;  ///< the account that spent most
  double mean = 0;          ///< ε an account
};

struct LedgerSummary {
  std::string id;  ///< hex; chosen at random when the ledger was made
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
  std::uint64_t bad_entry = 0;             ///< the first entry that is wrong; 0: the problem is elsewhere
};

/// As JSON, ending in a newline; times are in UTC. Thread-safe. The schemas are ledger_summary,
/// ledger_accounts, ledger_withheld and ledger_check in docs/schemas/.
std::string to_json(const LedgerSummary& summary);
std::string to_json(std::span<const LedgerAccount> accounts);
std::string to_json(std::span<const WithheldRecord> records);
std::string to_json(const LedgerCheck& check);

/// An open ledger, for reading. Runs may write to it meanwhile; each call sees one moment's content. Not
/// thread-safe.
class Ledger {
 public:
  /// An error when there is no such file, when it is not a ledger, or when a newer version wrote it. A ledger
  /// of an older version is read as it is.
  static Result<std::unique_ptr<Ledger>> open(const std::filesystem::path& file);
  ~Ledger();

  Result<LedgerSummary> summary();

  /// The accounts of a subject, one for each unit; empty when there are none.
  Result<std::vector<LedgerAccount>> accounts_of(std::string_view subject);

  /// For each unit the `count` accounts that spent most, largest first.
  Result<std::vector<LedgerAccount>> top(std::uint64_t count);

  /// Called for one item after the other; an error it returns ends the walk and is handed on.
  template <class Item>
  using Visitor = std::function<Result<void>(const Item&)>;

  /// In the order of entry number, of subject, of data set and record.
  Result<void> each_entry(const Visitor<LedgerEntry>& visit);
  Result<void> each_account(const Visitor<LedgerAccount>& visit);
  Result<void> each_withheld(const Visitor<WithheldRecord>& visit);

  /// Recomputes the chain and every account. `head` (64 hex digits, or empty) is one that was noted earlier,
  /// for example in a receipt: it must be found in the chain. A damaged ledger is a check with a problem, not
  /// an error.
  Result<LedgerCheck> verify(std::string_view head = {});

 private:
  struct Impl;
  explicit Ledger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What of a ledger can be exported, one row each.
enum class LedgerTable { entries, accounts, withheld };

/// How rows are written.
enum class RowFormat {
  csv,    ///< with a header, unless there is no row
  jsonl,  ///< one object per line; docs/schemas/ledger_entry, ledger_account and ledger_withheld_record
};

/// Hands all rows of a table to `write`, in pieces of whole lines; an error it returns ends the export and is
/// handed on. As safe to call from several threads as `ledger`.
Result<void> export_ledger(Ledger& ledger, LedgerTable table, RowFormat format,
                           const std::function<Result<void>(std::string_view text)>& write);

}  // namespace sotto
