// POST /anonymize, and the spans it works on.
#include <algorithm>

#include "service/entity_spans.hpp"
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> resolved(std::string_view text, const std::vector<FoundEntity>& found) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::vector<std::string> spans;
  const std::vector<EntitySpan> apart = entity_spans(text, tokens, found).value();
  for (const EntitySpan& span : apart)
    spans.push_back(std::string(span.type) + ":" +
                    std::string(text.substr(span.begin, span.end - span.begin)));
  return spans;
}

using Spans = std::vector<std::string>;

TEST(EntitySpans, CountCodePoints) {
  const std::string_view text = "é🙂 Zoë lives in Kraków.";
  EXPECT_EQ(resolved(text, {{3, 6, 1, "NAME"}, {16, 22, 1, "CITY"}}), (Spans{"NAME:Zoë", "CITY:Kraków"}));
}

TEST(EntitySpans, ACutWordIsTakenWhole) {
  const std::string_view text = "call Anderson now";
  EXPECT_EQ(resolved(text, {{7, 9, 1, "NAME"}}), Spans{"NAME:Anderson"});
  EXPECT_EQ(resolved(text, {{3, 6, 1, "NAME"}}), Spans{"NAME:call Anderson"});
  EXPECT_EQ(resolved(text, {{4, 5, 1, "NAME"}}), Spans{"NAME: "});
}

TEST(EntitySpans, OverlappingOnesBecomeOneOfTheBestType) {
  const std::string_view text = "Anna Maria Smith of Rome";
  EXPECT_EQ(resolved(text, {{0, 4, 0.5, "A"}, {5, 16, 0.9, "B"}}), (Spans{"A:Anna", "B:Maria Smith"}));
  EXPECT_EQ(resolved(text, {{5, 16, 0.9, "B"}, {0, 7, 0.5, "A"}}), Spans{"B:Anna Maria Smith"});
  EXPECT_EQ(resolved(text, {{0, 16, 0.5, "A"}, {5, 10, 0.5, "B"}}), Spans{"A:Anna Maria Smith"});
  EXPECT_EQ(resolved(text, {{0, 2, 0.1, "A"}, {2, 4, 0.2, "B"}}), Spans{"B:Anna"});  // both take the word
}

TEST(EntitySpans, OnlySpansOfTheText) {
  for (const FoundEntity& wrong : {FoundEntity{3, 3, 1, "A"}, FoundEntity{3, 2, 1, "A"},
                                   FoundEntity{0, 5, 1, "A"}, FoundEntity{9, 10, 1, "A"}}) {
    std::vector<Token> tokens;
    tokenize("Anna", tokens);
    EXPECT_EQ(entity_spans("Anna", tokens, {wrong}).error().status, 422U);
  }
  EXPECT_EQ(resolved("Anna", {{0, 4, 1, "A"}}), Spans{"A:Anna"});
}

class PresidioRoute : public ServiceTest {
 protected:
  Profile kept(double epsilon) const {
    Profile profile = this->profile("kept", keyed(epsilon));
    profile.outside_keep = true;
    return profile;
  }
  static std::string anonymize_body(const std::string& more = {}) {
    return R"({"text":"my name is Anderson and I live in London","analyzer_results":[)"
           R"({"start":11,"end":19,"score":0.8,"entity_type":"PERSON","analysis_explanation":null,"recognition_metadata":{"a":"b"}},)"
           R"({"start":34,"end":40,"score":0.9,"entity_type":"LOCATION"}])" +
           more + "}";
  }
};

TEST_F(PresidioRoute, TheWholeTextIsRewritten) {
  start({profile("mail", keyed(0.01))});
  const auto answer = post("/anonymize", anonymize_body(R"(,"id":"7")"));
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  const auto whole = post("/v1/privatize", R"({"text":"my name is Anderson and I live in London","id":"7"})");
  EXPECT_EQ(answer->text("/text"), whole->text("/texts/0"));
  EXPECT_THAT(answer->text("/text"), Not(HasSubstr("Anderson")));
  EXPECT_EQ(answer->text("/items/0/entity_type"), "LOCATION");  // the last first, as Presidio does
  EXPECT_EQ(answer->text("/items/1/entity_type"), "PERSON");
  const std::string text = answer->text("/text");  // ASCII
  for (const std::string item : {"/items/0", "/items/1"}) {
    const auto start = static_cast<std::size_t>(answer->number(item + "/start"));
    const auto end = static_cast<std::size_t>(answer->number(item + "/end"));
    EXPECT_EQ(text.substr(start, end - start), answer->text(item + "/text"));
  }
  EXPECT_THAT(answer->text("/guarantee"), Not(HasSubstr("as it was")));
}

TEST_F(PresidioRoute, OnlyOutsideKeepLeavesTheRestAndSaysSo) {
  start({kept(0.01)});
  const auto answer = post("/anonymize", anonymize_body());
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_THAT(answer->text("/text"), ::testing::MatchesRegex("my name is .* and I live in .*"));
  EXPECT_THAT(answer->text("/text"), Not(HasSubstr("Anderson")));
  EXPECT_THAT(answer->text("/guarantee"), HasSubstr("Everything else is as it was"));
  EXPECT_EQ(answer->number("/receipt/counts/documents"), 1);
  const auto constant = post("/anonymize", anonymize_body(R"(,"anonymizers":{"DEFAULT":{"type":"replace"},)"
                                                          R"("LOCATION":{"type":"redact"}})"));
  EXPECT_EQ(constant->text("/text"), "my name is <PERSON> and I live in ");
  EXPECT_EQ(constant->text("/items/1/operator"), "replace");
  EXPECT_EQ(constant->number("/items/1/start"), 11);
  EXPECT_EQ(constant->number("/items/1/end"), 19);
}

TEST_F(PresidioRoute, NoAnonymizerLoosensAProfile) {
  start({profile("mail", keyed(1)), kept(1)});
  for (const std::string type : {"keep", "replace", "redact", "mask", "hash", "encrypt", "custom"}) {
    const std::string operators = R"(,"anonymizers":{"PERSON":{"type":")" + type + R"("}})";
    const auto answer = post("/anonymize", anonymize_body(operators));
    EXPECT_EQ(answer->response.status, 422U) << type;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("Anderson")));
    const bool constant = type == "replace" || type == "redact";
    EXPECT_EQ(post("/anonymize", anonymize_body(operators + R"(,"profile":"kept")"))->response.status,
              constant ? 200U : 422U)
        << type;
  }
}

TEST_F(PresidioRoute, WhatIsWrongIsNamedWithoutItsContent) {
  start({profile("mail", keyed(1)), with_ledger("charged", 1)});
  const std::string bodies[] = {
      R"({"analyzer_results":[]})",
      R"({"text":7})",
      R"({"text":"Anderson","analyzer_results":[{"start":0,"end":9,"entity_type":"PERSON"}]})",
      R"({"text":"Anderson","analyzer_results":[{"start":-1,"end":9,"entity_type":"PERSON"}]})",
      R"({"text":"Anderson","analyzer_results":[{"start":0,"end":8}]})",
      R"({"text":"Anderson","analyzer_results":[{"start":0,"end":8,"entity_type":"PERSON","Anderson":1}]})",
      R"({"text":"Anderson","anonymizers":[]})",
      R"({"text":"Anderson","id":""})",
      R"({"text":"Anderson","subject":""})",
      R"({"text":"Anderson","profile":"charged"})",
  };
  for (const std::string& body : bodies) {
    const auto answer = post("/anonymize", body);
    EXPECT_EQ(answer->response.status, 422U) << body << answer->response.body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("Anderson"))) << body;
  }
  const auto over =
      post("/anonymize",
           R"({"text":"my name is Anderson and I live in London","profile":"charged","subject":"a"})");
  EXPECT_EQ(over->response.status, 403U);
  EXPECT_EQ(over->text("/error/code"), "limit");
}

TEST_F(PresidioRoute, ATextWithoutEntitiesIsRewrittenOrKept) {
  start({profile("mail", keyed(0.01)), kept(0.01)});
  EXPECT_NE(post("/anonymize", R"({"text":"the soup was cold"})")->text("/text"), "the soup was cold");
  const auto kept_text = post("/anonymize", R"({"text":"the soup was cold","profile":"kept"})");
  EXPECT_EQ(kept_text->text("/text"), "the soup was cold");
  EXPECT_EQ(kept_text->part("/items"), "[]");
  EXPECT_EQ(post("/anonymize", R"({"text":""})")->text("/text"), "");
}

TEST_F(PresidioRoute, ARefusedIdIsRefusedWhateverItsSpans) {
  for (const bool keep : {false, true}) {
    Profile charged = with_ledger(keep ? "kept" : "all", 1000);
    charged.repeat = Repeat::refuse;
    charged.outside_keep = keep;
    start({charged});
    EXPECT_EQ(post("/anonymize", anonymize_body(R"(,"id":"7","subject":"a")"))->response.status, 200U);
    const auto again = post("/anonymize", R"({"text":"Anderson","id":"7","subject":"a","analyzer_results":)"
                                          R"([{"start":0,"end":8,"score":1,"entity_type":"PERSON"}]})");
    EXPECT_EQ(again->response.status, 409U) << again->response.body;
    service_.reset();
  }
}

TEST_F(PresidioRoute, OneIdIsOneDocumentOnEveryRoute) {
  Profile charged = with_ledger("kept", 1000);
  charged.repeat = Repeat::refuse;
  charged.outside_keep = true;
  start({charged});
  const std::string named = R"(,"subject":"a","id":")";
  EXPECT_EQ(post("/anonymize", anonymize_body(named + "r\""))->response.status, 200U);
  EXPECT_EQ(post("/v1/privatize", R"({"text":"soup","subject":"a","id":"r"})")->response.status, 409U);
  EXPECT_EQ(post("/v1/privatize", R"({"text":"soup","subject":"a","id":"r/0"})")->response.status, 200U);
  EXPECT_EQ(post("/anonymize", R"({"text":"no entity","subject":"a","id":"n"})")->response.status, 200U);
  EXPECT_EQ(post("/anonymize", R"({"text":"no entity","subject":"a","id":"n"})")->response.status, 409U);
}

TEST_F(PresidioRoute, WhatIsNotReleasedAsAWholeIsNotCharged) {
  Profile charged = with_ledger("kept", 1);
  charged.outside_keep = true;
  start({charged});
  const auto over = post("/anonymize", anonymize_body(R"(,"subject":"a")"));  // two entities, of 1 each
  EXPECT_EQ(over->response.status, 403U) << over->response.body;
  const auto one = post("/v1/privatize", R"({"text":"soup","subject":"a"})");
  EXPECT_EQ(one->text("/texts/0").empty(), false) << one->response.body;
}

TEST_F(PresidioRoute, ConstantsAreNoLongerThanATextMayBe) {
  start({kept(1)});
  std::string spans;
  for (int i = 0; i < 2000; ++i)
    spans += std::string(i == 0 ? "" : ",") + R"({"entity_type":"X","start":)" + std::to_string(2 * i) +
             R"(,"end":)" + std::to_string(2 * i + 1) + "}";
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a ";
  const auto body = [&](std::size_t size) {
    return R"({"text":")" + text + R"(","analyzer_results":[)" + spans +
           R"(],"anonymizers":{"X":{"type":"replace","new_value":")" + std::string(size, 'v') + "\"}}}";
  };
  EXPECT_EQ(post("/anonymize", body(100))->response.status, 200U);
  const auto refused = post("/anonymize", body(100'000));
  EXPECT_EQ(refused->response.status, 422U);
  EXPECT_EQ(refused->text("/error/parameter"), "anonymizers");
}

TEST_F(PresidioRoute, EntitiesKeepApartUnderEveryPolicy) {
  for (const NumberPolicy numbers : {NumberPolicy::random, NumberPolicy::drop, NumberPolicy::keep}) {
    for (const PunctuationPolicy punctuation : {PunctuationPolicy::keep, PunctuationPolicy::drop}) {
      Profile keeping = kept(1);
      keeping.options.policy.numbers = numbers;
      keeping.options.policy.punctuation = punctuation;
      keeping.options.policy.oov = numbers == NumberPolicy::drop ? OovPolicy::drop : OovPolicy::nearest;
      start({keeping});
      const auto answer = post(
          "/anonymize", R"({"text":"at 42, zzqx\nyyqz - 7 soups","analyzer_results":[)"
                        R"({"start":3,"end":5,"entity_type":"A"},{"start":5,"end":6,"entity_type":"B"},)"
                        R"({"start":7,"end":16,"entity_type":"C"},{"start":17,"end":18,"entity_type":"D"},)"
                        R"({"start":19,"end":20,"entity_type":"E"}]})");
      EXPECT_EQ(answer->response.status, 200U) << answer->response.body;
      EXPECT_THAT(answer->text("/text"), ::testing::StartsWith("at "));
      EXPECT_THAT(answer->text("/text"), ::testing::EndsWith(" soups"));
      service_.reset();
    }
  }
}

/// The first word of a text that an attacker saw released.
TEST_F(PresidioRoute, AnAttackerSeesWhatCameOut) {
  start({profile("mail", keyed(1))});
  const auto guesses = post("/v1/attack", R"({"word":"soup","epsilon":1,"guesses":3})");
  ASSERT_EQ(guesses->response.status, 200U) << guesses->response.body;
  EXPECT_EQ(guesses->text("/output"), "soup");
  EXPECT_EQ(guesses->text("/guesses/0/word"), "soup");
  const auto none = post("/v1/attack", R"({"word":"nonesuchword","epsilon":1})");
  EXPECT_EQ(none->response.status, 422U);
  EXPECT_THAT(none->response.body, Not(HasSubstr("nonesuchword")));
  EXPECT_EQ(post("/v1/attack", R"({"word":"soup","epsilon":1,"trials":7})")->response.status, 422U);
}

}  // namespace
}  // namespace sotto::server::testing
