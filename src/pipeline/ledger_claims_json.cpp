// Claims on their way between processes.
#include <fmt/format.h>
#include <sodium.h>

#include <sotto/settlement.hpp>
#include <sotto/tokenizer.hpp>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "pipeline/ledger_claim_check.hpp"
#include "privacy/nano_epsilon.hpp"

namespace sotto {
using namespace pipeline;
namespace {

constexpr int kClaimsVersion = 2;
constexpr int kBase64Variant = sodium_base64_VARIANT_ORIGINAL;

nlohmann::ordered_json name_json(const std::string& name) {
  if (is_valid_utf8(name)) return name;
  std::string text(sodium_base64_ENCODED_LEN(name.size(), kBase64Variant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(name.data()),
                    name.size(), kBase64Variant);
  text.pop_back();  // the terminating NUL
  return {{"base64", text}};
}

tl::unexpected<Error> wrong_member(std::string_view member, std::string_view expected) {
  return fail(Errc::bad_format, fmt::format("'{}' is not {}", member, expected));
}

/// Returns an error unless it is an object with all `members` and no others.
Result<void> check_members(const nlohmann::json& object, std::span<const std::string_view> members) {
  if (!object.is_object()) return fail(Errc::bad_format, "not an object");
  for (const std::string_view member : members)
    if (!object.contains(member)) return fail(Errc::bad_format, fmt::format("'{}' is missing", member));
  if (object.size() != members.size())
    return fail(Errc::bad_format, fmt::format("there are members besides {}", fmt::join(members, ", ")));
  return {};
}

Result<std::string> read_name(const nlohmann::json& claim, std::string_view member) {
  const nlohmann::json& json = claim.at(member);
  if (json.is_string()) return json.get_ref<const std::string&>();
  const auto encoded = json.find("base64");
  if (!json.is_object() || json.size() != 1 || encoded == json.end() || !encoded->is_string())
    return wrong_member(member, "a text, or its bytes in base64");
  const std::string& text = encoded->get_ref<const std::string&>();
  std::string name(text.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(name.data()), name.size(), text.data(), text.size(),
                        nullptr, &size, nullptr, kBase64Variant) != 0)
    return wrong_member(member, "base64");
  name.resize(size);
  return name;
}

Result<std::array<unsigned char, 16>> read_hash(const nlohmann::json& json, std::string_view member) {
  std::array<unsigned char, 16> hash{};
  std::size_t size = 0;
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (sodium_hex2bin(hash.data(), hash.size(), text.data(), text.size(), nullptr, &size, nullptr) == 0 &&
        base::to_hex(hash) == text)
      return hash;
  }
  return wrong_member(member, "32 hexadecimal digits, in lower case");
}

Result<NanoEpsilon> read_amount(const nlohmann::json& document) {
  const nlohmann::json& json = document.at("amount_nano");
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() < 1 ||
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(privacy::kLargestAmount))
    return wrong_member("amount_nano", fmt::format("a whole number from 1 to {}", privacy::kLargestAmount));
  return json.get<NanoEpsilon>();
}

Result<ClaimedDocument> read_document(const nlohmann::json& json) {
  constexpr std::array<std::string_view, 3> kMembers = {"tag", "mac", "amount_nano"};
  SOTTO_TRY(check_members(json, kMembers));
  ClaimedDocument document;
  SOTTO_ASSIGN(document.tag, read_hash(json.at("tag"), "tag"));
  SOTTO_ASSIGN(document.mac, read_hash(json.at("mac"), "mac"));
  SOTTO_ASSIGN(document.amount, read_amount(json));
  return document;
}

Result<LedgerClaim> read_claim(const nlohmann::json& json) {
  constexpr std::array<std::string_view, 6> kMembers = {"dataset", "id",        "subject",
                                                        "unit",    "documents", "names"};
  SOTTO_TRY(check_members(json, kMembers));
  LedgerClaim claim;
  SOTTO_ASSIGN(claim.dataset, read_name(json, "dataset"));
  SOTTO_ASSIGN(claim.id, read_name(json, "id"));
  SOTTO_ASSIGN(claim.subject, read_name(json, "subject"));
  SOTTO_ASSIGN(claim.unit, read_name(json, "unit"));
  if (!json.at("documents").is_array()) return wrong_member("documents", "a list");
  for (const nlohmann::json& item : json.at("documents")) {
    auto document = read_document(item);
    if (!document)
      return base::fail_at(fmt::format("document {}", claim.documents.size() + 1),
                           std::move(document.error()));
    claim.documents.push_back(*document);
  }
  if (!json.at("names").is_array()) return wrong_member("names", "a list");
  for (const nlohmann::json& item : json.at("names")) {
    SOTTO_ASSIGN(claim.names.emplace_back(), read_hash(item, "names"));
  }
  SOTTO_TRY(check_claim(claim));
  return claim;
}

/// Whether these are claims at all, and of a form that is known.
Result<void> check_form(const nlohmann::json& json) {
  if (json.is_discarded()) return fail(Errc::bad_format, "not JSON, or the end is missing");
  constexpr std::array<std::string_view, 2> kMembers = {"version", "claims"};
  SOTTO_TRY(check_members(json, kMembers));
  const nlohmann::json& version = json.at("version");
  if (!version.is_number_unsigned() || version.get<std::uint64_t>() != kClaimsVersion)
    return wrong_member("version", fmt::format("{}, the only one that is known", kClaimsVersion));
  if (!json.at("claims").is_array()) return wrong_member("claims", "a list");
  return {};
}

}  // namespace

std::string to_json(std::span<const LedgerClaim> claims) {
  nlohmann::ordered_json json = {{"version", kClaimsVersion}, {"claims", nlohmann::ordered_json::array()}};
  for (const LedgerClaim& claim : claims) {
    nlohmann::ordered_json documents = nlohmann::ordered_json::array();
    for (const ClaimedDocument& document : claim.documents)
      documents.push_back({{"tag", base::to_hex(document.tag)},
                           {"mac", base::to_hex(document.mac)},
                           {"amount_nano", document.amount}});
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const auto& name : claim.names) names.push_back(base::to_hex(name));
    json["claims"].push_back({{"dataset", name_json(claim.dataset)},
                              {"id", name_json(claim.id)},
                              {"subject", name_json(claim.subject)},
                              {"unit", claim.unit},
                              {"documents", std::move(documents)},
                              {"names", std::move(names)}});
  }
  return base::json_line(json);
}

Result<std::vector<LedgerClaim>> ledger_claims_from_json(std::string_view text) {
  if (text.size() > kLargestClaimsText)
    return fail(Errc::limit, fmt::format("not ledger claims: {} bytes, more than {}; hand them in in parts",
                                         text.size(), kLargestClaimsText));
  const auto json = base::parse_json(text);
  if (auto known = check_form(json); !known)
    return base::fail_at("not ledger claims", std::move(known.error()));
  std::vector<LedgerClaim> claims;
  claims.reserve(json.at("claims").size());
  for (const nlohmann::json& item : json.at("claims")) {
    auto claim = read_claim(item);
    if (!claim)
      return base::fail_at(fmt::format("not ledger claims: claim {}", claims.size() + 1),
                           std::move(claim.error()));
    claims.push_back(std::move(*claim));
  }
  return claims;
}

}  // namespace sotto
