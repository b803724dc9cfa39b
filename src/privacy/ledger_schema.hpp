// What makes an SQLite file a ledger.
#pragma once

#include <optional>

#include "privacy/ledger_chain.hpp"
#include "privacy/sqlite.hpp"

namespace sotto::privacy {

/// Must be raised by any change that an older program could misread.
inline constexpr int kLedgerVersion = 3;

/// The only row of the table `state`.
struct LedgerState {
  LedgerId id{};
  std::uint64_t entries = 0;
  ChainHash head{};
  std::uint64_t recent = 0;  ///< rows of recent_releases; in version 1, of recent_tags
};

/// The version of a readable ledger. An error unless the file is a ledger of a version this program knows,
/// with exactly the tables of that version and nothing else.
Result<int> check_is_ledger(Database& database);

/// Nothing if the database is empty; otherwise like check_is_ledger.
Result<std::optional<int>> is_empty_or_ledger(Database& database);

/// Creates the tables if the database is empty; otherwise checks that it is a ledger, and upgrades an older
/// version to kLedgerVersion in one transaction. No other process may do so at the same time.
Result<void> make_or_upgrade_ledger(Database& database);

/// What to select from `entries` for an entry's MAC, which is NULL if it has none.
inline const char* mac_column(int version) {
  return version == 1 ? "NULL" : "mac";
}

Result<LedgerState> read_state(Database& database);

}  // namespace sotto::privacy
