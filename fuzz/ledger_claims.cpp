// Claims from a network: what is accepted is no refund, and comes back unchanged when written again.
#include <sotto/settlement.hpp>

#include "fuzz.hpp"

using namespace sotto;
using fuzz::require;

SOTTO_FUZZ_TARGET(ledger_claims) {
  const auto claims = ledger_claims_from_json(input);
  if (!claims) {
    require(describe(claims.error()).find('\n') == std::string::npos, "a refusal has one line");
    return;
  }
  for (const LedgerClaim& claim : *claims)
    for (const ClaimedDocument& document : claim.documents)
      require(document.amount > 0, "no claim is a refund");
  const std::string text = to_json(*claims);
  const auto again = ledger_claims_from_json(text);
  require(again && to_json(*again) == text, "claims come back unchanged");
}
