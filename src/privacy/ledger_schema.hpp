// What makes an SQLite file a ledger.
#pragma once

#include <optional>

#include "privacy/ledger_chain.hpp"
#include "privacy/sqlite.hpp"

namespace sotto {

/// Raised by whatever an older program could misread.
inline constexpr int kLedgerVersion = 2;

/// The one row of the table `state`.
struct LedgerState {
  LedgerId id{};
  std::uint64_t entries = 0;
  ChainHash head{};
  std::uint64_t recent = 0;  ///< rows of recent_releases, in version 1 of recent_tags
};

/// The version of a ledger that can be read. An error unless the file is a ledger of a version this program
/// knows, with exactly the tables of that version and nothing else.
Result<int> check_is_ledger(Database& database);

/// Nothing when the database is empty; otherwise as check_is_ledger.
Result<std::optional<int>> is_empty_or_ledger(Database& database);

/// Makes the tables when the database is empty; otherwise checks that it is a ledger, and brings one of an
/// older version to kLedgerVersion in one transaction. No other process may do the same at the same time.
Result<void> make_or_upgrade_ledger(Database& database);

/// What to select from `entries` for the MAC of an entry, which is NULL where there is none.
inline const char* mac_column(int version) {
  return version == 1 ? "NULL" : "mac";
}

Result<LedgerState> read_state(Database& database);

}  // namespace sotto
