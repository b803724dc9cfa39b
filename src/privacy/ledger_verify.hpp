// Checks a ledger: the chain of its entries, and its accounts and known releases against the entries.
#pragma once

#include <string_view>

#include <sotto/ledger.hpp>

#include "privacy/sqlite.hpp"

namespace sotto::privacy {

/// Must be called inside a read transaction, for a ledger of that version. `head`: 64 hex digits or empty.
Result<LedgerCheck> verify_ledger(Database& database, int version, std::string_view head);

}  // namespace sotto::privacy
