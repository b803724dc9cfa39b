// Checking a ledger: the chain of its entries, its accounts against the entries, its tags against the
// entries.
#pragma once

#include <string_view>

#include <sotto/ledger.hpp>

#include "privacy/sqlite.hpp"

namespace sotto {

/// To be called inside a read transaction. `head`: 64 hex digits or empty.
Result<LedgerCheck> verify_ledger(Database& database, std::string_view head);

}  // namespace sotto
