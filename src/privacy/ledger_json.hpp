// The contents of a ledger as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <sotto/ledger.hpp>

namespace sotto::privacy {

nlohmann::ordered_json json_of(const LedgerAccount& account);
nlohmann::ordered_json json_of(const LedgerEntry& entry);
nlohmann::ordered_json json_of(const WithheldRecord& record);

}  // namespace sotto::privacy
