#include <fmt/format.h>

#include <sotto/settlement.hpp>
#include <sotto/tokenizer.hpp>

#include "pipeline/ledger_claim_check.hpp"
#include "pipeline/privatizer_impl.hpp"

namespace sotto {
using namespace pipeline;
namespace {

// The store numbers the documents of a transaction in 32 bits.
constexpr std::uint64_t kMostClaimedDocuments = 1ULL << 31;

std::vector<privacy::LedgerDocument> documents_of(std::span<const LedgerClaim> claims) {
  std::vector<privacy::LedgerDocument> documents;
  for (const LedgerClaim& claim : claims)
    for (const ClaimedDocument& document : claim.documents)
      documents.push_back({document.tag, document.amount, document.mac});
  return documents;
}

/// Returns an error unless all claims can be charged together.
Result<void> check_claims(std::span<const LedgerClaim> claims) {
  std::uint64_t documents = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (auto sound = check_claim(claims[i]); !sound)
      return base::fail_at(fmt::format("claim {}", i + 1), std::move(sound.error()));
    if (claims[i].unit != claims[0].unit)
      return fail_parameter("ledger", "",
                            fmt::format("claim {} is in '{}', those before it are in '{}'; amounts in "
                                        "different units do not add up",
                                        i + 1, claims[i].unit, claims[0].unit));
    documents += claims[i].documents.size();
  }
  if (documents > kMostClaimedDocuments)
    return fail(Errc::limit, fmt::format("claims for {} documents; settle at most {} at once", documents,
                                         kMostClaimedDocuments));
  return {};
}

}  // namespace

Result<void> pipeline::check_claim(const LedgerClaim& claim) {
  for (const auto& [member, value] : {std::pair("dataset", &claim.dataset), std::pair("id", &claim.id),
                                      std::pair("subject", &claim.subject), std::pair("unit", &claim.unit)})
    if (value->size() > kLongestClaimName)
      return fail(Errc::limit,
                  fmt::format("'{}' has {} bytes, more than {}", member, value->size(), kLongestClaimName));
  if (claim.unit.empty() || !is_valid_utf8(claim.unit))
    return fail(Errc::bad_format, "'unit' is not the name of a unit");
  if (claim.names.size() < claim.documents.size())
    return fail(Errc::bad_format, fmt::format("{} documents and {} names; give the name of each document",
                                              claim.documents.size(), claim.names.size()));
  for (const ClaimedDocument& document : claim.documents)
    if (document.amount < 1)
      return fail(Errc::bad_format,
                  fmt::format("an amount of {} billionths of epsilon; give at least 1", document.amount));
  return {};
}

LedgerSession::LedgerSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LedgerSession::~LedgerSession() = default;

Result<std::unique_ptr<LedgerSession>> LedgerSession::open(const LedgerOptions& options,
                                                           std::string_view unit) {
  auto impl = std::make_unique<Impl>();
  SOTTO_ASSIGN(impl->settlement, Settlement::open(options, std::string(unit)));
  return std::unique_ptr<LedgerSession>(new LedgerSession(std::move(impl)));
}

Result<std::vector<Settled>> LedgerSession::settle(std::span<const LedgerClaim> claims) {
  if (claims.empty()) return std::vector<Settled>();
  SOTTO_TRY(check_claims(claims));
  const std::vector<privacy::LedgerDocument> documents = documents_of(claims);
  std::vector<privacy::LedgerRequest> requests;
  requests.reserve(claims.size());
  std::span<const privacy::LedgerDocument> rest(documents);
  for (const LedgerClaim& claim : claims) {
    requests.push_back(
        {claim.subject, claim.dataset, claim.id, 0, rest.first(claim.documents.size()), claim.names});
    rest = rest.subspan(claim.documents.size());
  }
  const std::lock_guard lock(impl_->mutex);
  SOTTO_TRY(impl_->settlement->settle(requests, claims[0].unit));
  std::vector<Settled> settled;
  settled.reserve(requests.size());
  for (const privacy::LedgerRequest& request : requests) settled.push_back(request.settled);
  return settled;
}

LedgerReceipt LedgerSession::receipt() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->settlement->receipt();
}

}  // namespace sotto
