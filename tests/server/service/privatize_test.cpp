// POST /v1/privatize.
#include <regex>

#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PrivatizeRoute : public ServiceTest {
 protected:
  /// What a Privatizer of its own makes of the text.
  std::string alone(const PrivatizeOptions& options, const std::string& dataset, const std::string& id,
                    const std::string& text) const {
    const auto privatizer = Privatizer::make(options).value();
    Counts counts;
    return privatizer->privatize({dataset, id, "text"}, text, counts).value();
  }
};

TEST_F(PrivatizeRoute, OneTextIsWhatAPrivatizerGives) {
  start({profile("mail", keyed())});
  const auto answer = post("/v1/privatize", R"({"text": "My doctor called, twice.", "id": "7"})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->text("/texts/0"), alone(keyed(), "/mail", "7", "My doctor called, twice."));
  EXPECT_EQ(answer->part("/ids"), R"(["7"])");
  EXPECT_EQ(answer->part("/withheld"), "[]");
  EXPECT_EQ(answer->part("/spent"), "null");
  EXPECT_EQ(answer->number("/receipt/counts/documents"), 1);
}

TEST_F(PrivatizeRoute, ArraysKeepTheirOrder) {
  start({profile("mail", keyed())});
  std::string texts;
  std::string ids;
  for (int i = 0; i < 1000; ++i) {
    texts += (i > 0 ? ",\"" : "\"") + std::string("text number ") + std::to_string(i) + " of many\"";
    ids += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\"";
  }
  const auto answer = post("/v1/privatize", R"({"texts":[)" + texts + R"(],"ids":[)" + ids + "]}");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  for (const int i : {0, 1, 500, 999})
    EXPECT_EQ(answer->text("/texts/" + std::to_string(i)),
              alone(keyed(), "/mail", std::to_string(i), "text number " + std::to_string(i) + " of many"));
  EXPECT_EQ(answer->number("/receipt/counts/documents"), 1000);
}

TEST_F(PrivatizeRoute, WithoutAnIdEveryDocumentGetsOne) {
  start({profile("mail", keyed())});
  const auto answer = post("/v1/privatize", R"({"texts": ["one", "two"]})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  const std::regex id("[0-9a-f]{32}");
  EXPECT_TRUE(std::regex_match(answer->text("/ids/0"), id));
  EXPECT_TRUE(std::regex_match(answer->text("/ids/1"), id));
  EXPECT_NE(answer->text("/ids/0"), answer->text("/ids/1"));
  EXPECT_EQ(answer->text("/texts/1"), alone(keyed(), "/mail", answer->text("/ids/1"), "two"));
}

TEST_F(PrivatizeRoute, KeysAndProfilesHaveIdsOfTheirOwn) {
  start({profile("mail", keyed()), profile("chat", keyed())});
  const std::string body = R"({"text": "the same text for everybody who asks", "id": "1", "profile": )";
  const Caller one{"one", {"mail", "chat"}, false, false};
  const Caller two{"two", {"mail"}, false, false};
  const std::string first = post("/v1/privatize", body + R"("mail"})", one)->text("/texts/0");
  EXPECT_EQ(first, post("/v1/privatize", body + R"("mail"})", one)->text("/texts/0"));
  EXPECT_NE(first, post("/v1/privatize", body + R"("chat"})", one)->text("/texts/0"));
  EXPECT_NE(first, post("/v1/privatize", body + R"("mail"})", two)->text("/texts/0"));
  EXPECT_EQ(post("/v1/privatize", body + R"("chat"})", two)->response.status, 403U);
}

TEST_F(PrivatizeRoute, EscapesWhatJsonMustEscape) {
  start({profile("mail", keyed())});
  const std::string text = "\"quoted\" \\ and\n\ta tab \x01 é \xF0\x9F\x98\x80";
  const auto answer =
      post("/v1/privatize", R"({"text": "\"quoted\" \\ and\n\ta tab \u0001 é \ud83d\ude00", "id": "é\n"})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->text("/texts/0"), alone(keyed(), "/mail", "é\n", text));
  EXPECT_EQ(answer->text("/ids/0"), "é\n");
}

TEST_F(PrivatizeRoute, ALedgerIsCharged) {
  start({with_ledger("mail", 100)});
  const auto answer =
      post("/v1/privatize", R"({"texts": ["one two three", "four"], "ids": ["1", "2"], "subject": "ann"})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->number("/spent"), 4);
  EXPECT_EQ(answer->number("/remaining"), 96);
  EXPECT_THAT(answer->text("/unit"), HasSubstr("list index distance"));
  EXPECT_EQ(answer->text("/receipt/ledger/unit"), answer->text("/unit"));
  const auto again = post("/v1/privatize", R"({"text": "four", "id": "2", "subject": "ann"})");
  EXPECT_EQ(again->text("/texts/0"), answer->text("/texts/1"));
  EXPECT_EQ(again->number("/spent"), 4) << "a repeat is free";
  EXPECT_THAT(again->response.body, Not(HasSubstr("ann")));
}

TEST_F(PrivatizeRoute, WhatExceedsALimitIsWithheld) {
  start({with_ledger("mail", 3)});
  const auto answer = post(
      "/v1/privatize", R"({"texts": ["one two", "three four", "five"], "subjects": ["ann", "ann", "bob"]})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->part("/withheld"), "[1]");
  EXPECT_EQ(answer->part("/texts/1"), "null");
  EXPECT_EQ(answer->part("/spent"), "[2,2,1]");
  EXPECT_EQ(answer->number("/receipt/counts/withheld"), 1);
  EXPECT_EQ(answer->number("/receipt/counts/documents"), 2);
}

TEST_F(PrivatizeRoute, ARequestMayLowerEpsilonAndTightenThePolicy) {
  Profile mail = profile("mail", keyed(2));
  mail.options.policy = Policy::paper();
  mail.allowed = {{"diffractor-geometric", 2}, {"cmp", 10}};
  start({mail});
  const std::string text = R"("text": "the 12 dogs", "id": "1")";
  const auto own = post("/v1/privatize", "{" + text + "}");
  EXPECT_THAT(own->text("/texts/0"), HasSubstr("12"));
  const auto lower = post("/v1/privatize", "{" + text + R"(, "epsilon": 0.5})");
  EXPECT_EQ(lower->number("/receipt/mechanism/epsilon"), 0.5) << lower->response.body;
  const auto stricter = post("/v1/privatize", "{" + text + R"(, "policy": {"numbers": "drop"}})");
  EXPECT_THAT(stricter->text("/texts/0"), Not(HasSubstr("12")));
  const auto other = post("/v1/privatize", "{" + text + R"(, "mechanism": "cmp", "epsilon": 9})");
  EXPECT_EQ(other->text("/receipt/mechanism/name"), "cmp") << other->response.body;
  EXPECT_EQ(post("/v1/privatize", "{" + text + R"(, "epsilon": 2.5})")->response.status, 422U);
  EXPECT_EQ(post("/v1/privatize", "{" + text + R"(, "mechanism": "santext"})")->response.status, 422U);
}

TEST_F(PrivatizeRoute, AChoiceInAnotherUnitWouldBeAnotherAccount) {
  Profile mail = with_ledger("mail", 10);
  mail.allowed = {{"cmp", 10}};
  start({mail});
  const auto answer = post("/v1/privatize", R"({"text": "one", "subject": "ann", "mechanism": "cmp"})");
  EXPECT_EQ(answer->response.status, 422U) << answer->response.body;
}

}  // namespace
}  // namespace sotto::server::testing
