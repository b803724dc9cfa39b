// What makes an SQLite file a ledger.
#pragma once

#include "privacy/ledger_chain.hpp"
#include "privacy/sqlite.hpp"

namespace sotto {

/// Raised by whatever an older program could misread.
inline constexpr int kLedgerVersion = 1;

/// The one row of the table `state`.
struct LedgerState {
  LedgerId id{};
  std::uint64_t entries = 0;
  ChainHash head{};
  std::uint64_t recent = 0;  ///< rows of recent_tags
};

/// An error unless the file is a ledger of a version this program knows.
Result<void> check_is_ledger(Database& database);

/// True when the database is empty; otherwise as check_is_ledger.
Result<bool> is_empty_or_ledger(Database& database);

/// Makes the tables when the database is empty, otherwise checks that it is a ledger. No other process may do
/// the same at the same time.
Result<void> create_or_check_ledger(Database& database);

Result<LedgerState> read_state(Database& database);

}  // namespace sotto
