// POST /v1/ledger/query, /reserve and /release: the ledger of a profile for workers that rewrite elsewhere.
#include <fmt/format.h>

#include <sotto/settlement.hpp>

#include "service/json_reader.hpp"
#include "service/json_writer.hpp"
#include "service/router.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 2> kQueryBody = {"profile", "subject"};
constexpr std::array<std::string_view, 3> kClaimsBody = {"profile", "version", "claims"};
constexpr std::array<std::string_view, 1> kProfileMember = {"profile"};

/// The ledger of the profile that the request names.
Outcome<LedgerDesk*> desk_of(const ServiceState& state, const Request& request, const JsonObject& body) {
  if (state.config.keys_file && !request.caller.ledger)
    return tl::unexpected(Failure(403, "forbidden", "this key may not use the ledgers"));
  SOTTO_ASSIGN(const auto name, body.text("profile"));
  SOTTO_ASSIGN(const OpenProfile* const profile, state.profiles->find(request.caller, name));
  if (profile->desk() == nullptr) return unprocessable("this profile has no ledger", "profile");
  return profile->desk();
}

Outcome<Response> query(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kQueryBody));
  SOTTO_ASSIGN(const LedgerDesk* const desk, desk_of(state, request, body));
  SOTTO_ASSIGN(const auto subject, body.text("subject"));
  if (!subject || subject->empty()) return unprocessable("subject is missing", "subject");
  SOTTO_ASSIGN(const Spending spending, desk->spending_of(*subject));
  std::string json = R"({"unit":)";
  append_json(json, desk->unit());
  fmt::format_to(std::back_inserter(json), R"(,"limit":{},"spent":{},"remaining":{}}})",
                 desk->options().limit, to_decimal(spending.spent), to_decimal(spending.remaining));
  return json_response(json + "\n");
}

/// A charge is final, and a claim that was charged costs nothing again. So a worker whose answer was lost
/// asks once more; only a ledger that refuses repeats then says no, as it does to anybody's guess.
Outcome<Response> settle(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kClaimsBody));
  SOTTO_ASSIGN(LedgerDesk* const desk, desk_of(state, request, body));
  const auto claims = ledger_claims_from_json(body.json_without(kProfileMember));
  if (!claims) return unprocessable("these are no claims as sotto writes them", "claims");
  SOTTO_ASSIGN(const std::vector<Settled> decided, desk->settle_claims(*claims));
  std::string released = R"({"released":[)";
  std::string refused = R"(],"refused":[)";
  for (std::size_t i = 0; i < decided.size(); ++i) {
    if (i > 0) released += ',';
    released += decided[i] == Settled::released ? "true" : "false";
    if (decided[i] != Settled::repeated) continue;
    if (refused.back() != '[') refused += ',';
    refused += std::to_string(i);
  }
  return json_response(released + refused + "]}\n");
}

}  // namespace

void add_ledger_routes(Router& router) {
  router.add({"POST", "/v1/ledger/query", Access::key, computed(query)});
  router.add({"POST", "/v1/ledger/reserve", Access::key, computed(settle)});
  router.add({"POST", "/v1/ledger/release", Access::key, computed(settle)});
}

}  // namespace sotto::server
