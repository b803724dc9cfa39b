// Claims cross process boundaries unchanged, and hostile ones are refused.
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/settlement.hpp>

#include "base/file.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using Json = nlohmann::json;

LedgerClaim sample_claim() {
  ClaimedDocument first{.amount = 1};
  first.tag.fill(0xAB);
  first.mac[15] = 1;
  ClaimedDocument second{.amount = std::numeric_limits<NanoEpsilon>::max()};
  second.mac.fill(0xFF);
  return {"set", "7", "alice", "pure epsilon", {first, second}, {first.tag, second.mac, {}}};
}

void expect_equal(const LedgerClaim& a, const LedgerClaim& b) {
  EXPECT_EQ(a.dataset, b.dataset);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.subject, b.subject);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.documents.size(), b.documents.size());
  for (std::size_t i = 0; i < a.documents.size(); ++i) {
    EXPECT_EQ(a.documents[i].tag, b.documents[i].tag);
    EXPECT_EQ(a.documents[i].mac, b.documents[i].mac);
    EXPECT_EQ(a.documents[i].amount, b.documents[i].amount);
  }
}

TEST(LedgerClaimsJson, NothingIsLost) {
  std::vector<LedgerClaim> claims = {sample_claim(), {"", "", "", "pure epsilon", {}, {}}};
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const std::string names[] = {every_byte,
                               std::string("a\0b", 3),
                               "\xC0\x80",          // overlong
                               "\xED\xA0\x80",      // a surrogate
                               "\xF4\x90\x80\x80",  // beyond Unicode
                               "\xFF",
                               "é \" \\ \n \x7F 語 🙂",
                               R"({"base64": "QQ=="})"};
  for (const std::string& name : names) {
    claims.push_back(sample_claim());
    claims.back().dataset = claims.back().id = claims.back().subject = name;
  }
  const auto read = ledger_claims_from_json(to_json(claims));
  ASSERT_TRUE(read) << describe(read.error());
  ASSERT_EQ(read->size(), claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) expect_equal((*read)[i], claims[i]);
  EXPECT_EQ(ledger_claims_from_json(to_json(std::span<const LedgerClaim>())).value().size(), 0U);
}

/// tests/e2e/test_schemas.py compares the same file with the schema.
TEST(LedgerClaimsJson, TheFormIsThatOfTheSchema) {
  std::vector<LedgerClaim> claims = {{"set", "7", "\xFF", "pure epsilon", {{}, {}}, {{}, {}, {}}},
                                     {"", "", "bob", "pure epsilon", {}, {}}};
  ClaimedDocument& first = claims[0].documents[0];
  ClaimedDocument& second = claims[0].documents[1];
  first.tag.fill(0x0A);
  first.mac.fill(0x1B);
  first.amount = 1'500'000'000;
  second.tag.fill(0x2C);
  second.mac.fill(0xFF);
  second.amount = std::numeric_limits<NanoEpsilon>::max();
  claims[0].names[0].fill(0x3D);
  claims[0].names[2].fill(0x4E);
  const std::filesystem::path file = SOTTO_CLAIMS_FILE;
  EXPECT_EQ(to_json(claims), base::read_file(file).value());
}

TEST(LedgerClaimsJson, WhatIsNotAClaimIsNamed) {
  const Json sound = Json::parse(to_json(std::vector{sample_claim(), sample_claim()}));
  const auto refuse = [](const std::string& text, const std::vector<std::string>& parts) {
    SCOPED_TRACE(text.substr(0, 200));
    expect_error(ledger_claims_from_json(text), Errc::bad_format, parts);
  };
  for (const char* text : {"", "{", "nonsense", "\"\xFF\"", "{} {}"}) refuse(text, {"not JSON"});
  for (const char* text : {"[]", "null", "7", "\"claims\""}) refuse(text, {"not an object"});
  refuse("{}", {"'version' is missing"});
  refuse(std::string(100'000, '['), {"not JSON"});

  const std::tuple<const char*, Json, std::vector<std::string>> changes[] = {
      {"/version", 1, {"'version'", "2"}},
      {"/version", "2", {"'version'"}},
      {"/version", -1, {"'version'"}},
      {"/more", 1, {"members besides version, claims"}},
      {"/claims", Json::object(), {"'claims' is not a list"}},
      {"/claims/1", nullptr, {"claim 2", "not an object"}},
      {"/claims/1/limit", 1, {"claim 2", "members besides"}},
      {"/claims/1/subject", 7, {"claim 2", "'subject' is not a text"}},
      {"/claims/1/subject", Json{{"base64", 7}}, {"'subject'"}},
      {"/claims/1/subject", Json{{"base64", "QQ"}}, {"'subject' is not base64"}},
      {"/claims/1/subject", Json{{"base64", "Q Q="}}, {"'subject' is not base64"}},
      {"/claims/1/subject", Json{{"base64", "QQ=="}, {"hex", "41"}}, {"'subject'"}},
      {"/claims/1/subject", std::string(kLongestClaimName + 1, 'a'), {"'subject' has 1048577 bytes"}},
      {"/claims/1/unit", "", {"'unit'"}},
      {"/claims/1/unit", Json{{"base64", "/w=="}}, {"'unit'"}},
      {"/claims/1/names", "none", {"'names' is not a list"}},
      {"/claims/1/names/1", "ab", {"claim 2", "'names'", "32 hexadecimal digits"}},
      {"/claims/1/names/1", 7, {"'names'"}},
      {"/claims/1/names", Json::array(), {"claim 2", "2 documents and 0 names"}},
      {"/claims/1/documents", "none", {"'documents' is not a list"}},
      {"/claims/1/documents/1", 7, {"claim 2", "document 2", "not an object"}},
      {"/claims/1/documents/1/refund", 7, {"members besides"}},
      {"/claims/1/documents/1/tag", "ab", {"document 2", "'tag'", "32 hexadecimal digits"}},
      {"/claims/1/documents/1/tag", std::string(34, 'a'), {"'tag'"}},
      {"/claims/1/documents/1/tag", std::string(32, 'A'), {"'tag'"}},
      {"/claims/1/documents/1/tag", std::string(31, 'a') + "g", {"'tag'"}},
      {"/claims/1/documents/1/mac", nullptr, {"'mac'"}},
      {"/claims/1/documents/1/amount_nano", 0, {"'amount_nano'", "from 1"}},
      {"/claims/1/documents/1/amount_nano", -1'000'000'000, {"'amount_nano'"}},
      {"/claims/1/documents/1/amount_nano", 1.5, {"'amount_nano'"}},
      {"/claims/1/documents/1/amount_nano", 1e300, {"'amount_nano'"}},
      {"/claims/1/documents/1/amount_nano", "1", {"'amount_nano'"}},
      {"/claims/1/documents/1/amount_nano", std::uint64_t{1} << 63, {"'amount_nano'"}},
  };
  for (const auto& [place, value, parts] : changes) {
    Json changed = sound;
    const Json::json_pointer pointer(place);
    changed[pointer] = value;
    const auto read = ledger_claims_from_json(changed.dump());
    SCOPED_TRACE(place);
    const bool too_long = value.is_string() && value.get_ref<const std::string&>().size() > kLongestClaimName;
    expect_error(read, too_long ? Errc::limit : Errc::bad_format, parts);
  }
  for (const char* place :
       {"/version", "/claims", "/claims/0/dataset", "/claims/0/id", "/claims/0/subject", "/claims/0/unit",
        "/claims/0/names", "/claims/0/documents", "/claims/0/documents/0/tag", "/claims/0/documents/0/mac",
        "/claims/0/documents/0/amount_nano"}) {
    const Json::json_pointer pointer(place);
    Json changed = sound;
    changed[pointer.parent_pointer()].erase(pointer.back());
    refuse(changed.dump(), {"'" + pointer.back() + "' is missing"});
  }
  // Every proper prefix is incomplete.
  const std::string text = sound.dump();
  for (std::size_t size = 0; size < text.size(); ++size)
    ASSERT_FALSE(ledger_claims_from_json(std::string_view(text).substr(0, size)));
}

TEST(LedgerClaimsJson, AnEndlessTextIsRefusedUnread) {
  const std::string text(kLargestClaimsText + 1, ' ');
  expect_error(ledger_claims_from_json(text), Errc::limit, {"in parts"});
}

}  // namespace
}  // namespace sotto
