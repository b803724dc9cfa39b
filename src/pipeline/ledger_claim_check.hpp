#pragma once

#include <sotto/settlement.hpp>

namespace sotto::pipeline {

/// Returns an error unless a ledger can charge the claim: lengths are bounded, the unit is one, and no amount
/// is a refund.
Result<void> check_claim(const LedgerClaim& claim);

}  // namespace sotto::pipeline
