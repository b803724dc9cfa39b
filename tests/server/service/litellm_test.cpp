// POST /beta/litellm_basic_guardrail_api.
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kGuardrailPath = "/beta/litellm_basic_guardrail_api";

class LitellmRoute : public ServiceTest {
 protected:
  /// What LiteLLM sends; `more` begins with a comma.
  static std::string guardrail_body(const std::string& texts, const std::string& more = {}) {
    return R"({"input_type":"request","litellm_call_id":"c","litellm_trace_id":null,"images":null,)"
           R"("tools":null,"tool_calls":null,"request_headers":{"host":"h"},"litellm_version":"1",)"
           R"("model":"m","texts":)" +
           texts + more + "}";
  }
  static std::string of_user(const std::string& user) {
    return R"(,"request_data":{"user_api_key_end_user_id":")" + user + R"("})";
  }
  std::unique_ptr<Answer> guard(const std::string& texts, const std::string& more) const {
    return post(kGuardrailPath, guardrail_body(texts, more));
  }

  Profile chat(double limit, Repeat repeat) const {
    Profile profile = with_ledger("chat", limit);
    profile.repeat = repeat;
    return profile;
  }
};

TEST_F(LitellmRoute, TextsComeBackOneByOne) {
  start({profile("chat", keyed(0.1))});
  const auto answer =
      guard(R"(["my doctor called", "", "12", "the soup was cold"])", R"(,"request_data":{})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->text("/action"), "GUARDRAIL_INTERVENED");
  simdjson::dom::array texts;
  ASSERT_FALSE(answer->json["texts"].get_array().get(texts));
  EXPECT_EQ(texts.size(), 4U);
  EXPECT_EQ(answer->text("/texts/1"), "");
  EXPECT_THAT(answer->response.body, Not(HasSubstr("doctor called")));
  EXPECT_EQ(guard("[]", R"(,"request_data":{})")->part("/texts"), "[]");
}

/// Each turn of a conversation sends all texts before it.
TEST_F(LitellmRoute, ATextThatAUserSendsAgainIsTheSameAndFree) {
  start({chat(20, Repeat::same)});
  const auto first = guard(R"(["the soup was cold"])", of_user("alice"));
  ASSERT_EQ(first->text("/action"), "GUARDRAIL_INTERVENED") << first->response.body;
  for (int turn = 0; turn < 20; ++turn) {
    const auto again = guard(R"(["the soup was cold", "the soup was cold"])", of_user("alice"));
    ASSERT_EQ(again->text("/texts/0"), first->text("/texts/0")) << again->response.body;
    EXPECT_EQ(again->text("/texts/1"), first->text("/texts/0"));
  }
  EXPECT_NE(guard(R"(["the soup was cold"])", of_user("bob"))->text("/texts/0"), first->text("/texts/0"));
}

TEST_F(LitellmRoute, OverTheLimitIsBlockedWithoutText) {
  for (const Repeat repeat : {Repeat::same, Repeat::refuse}) {
    std::filesystem::remove(path("chat.ledger"));
    start({chat(5, repeat)});
    EXPECT_EQ(guard(R"(["soup was cold"])", of_user("alice"))->text("/action"), "GUARDRAIL_INTERVENED");
    const auto over = guard(R"(["hello", "a waiter brought another bowl"])", of_user("alice"));
    EXPECT_EQ(over->response.status, 200U);
    EXPECT_EQ(over->text("/action"), "BLOCKED");
    EXPECT_THAT(over->text("/blocked_reason"), HasSubstr("budget"));
    EXPECT_THAT(over->response.body, Not(HasSubstr("texts")));
    EXPECT_EQ(guard(R"(["soup was cold"])", of_user("bob"))->text("/action"), "GUARDRAIL_INTERVENED");
    service_.reset();
  }
}

TEST_F(LitellmRoute, ALedgerNeedsAnEndUser) {
  start({chat(5, Repeat::same)});
  for (const std::string& more : {std::string(R"(,"request_data":{})"), std::string(), of_user("")}) {
    const auto answer = guard(R"(["soup"])", more);
    EXPECT_EQ(answer->response.status, 422U) << answer->response.body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("action")));
  }
}

TEST_F(LitellmRoute, WhatIsNotRewrittenIsBlocked) {
  start({profile("chat", options())});
  const std::string parts[] = {
      R"(,"images":["https://example.org/a.png"])",
      R"(,"tools":[{"type":"function"}])",
      R"(,"tool_calls":[{"id":"1"}])",
      R"(,"structured_messages":[{"role":"user","content":"soup","name":"Alice"}])",
      R"(,"structured_messages":[{"role":"user","content":[{"type":"text","text":"soup"},{"type":"file","file":{}}]}])",
      R"(,"structured_messages":[{"role":"user","content":[{"type":"input_audio","text":"soup"}]}])",
      R"(,"structured_messages":[{"role":"assistant","content":"a","tool_calls":[]}])",
      R"(,"structured_messages":[{"role":"assistant","content":7}])",
  };
  for (const std::string& part : parts) {
    const auto answer =
        post(kGuardrailPath, R"({"input_type":"request","texts":["soup"],"request_data":{})" + part + "}");
    EXPECT_EQ(answer->text("/action"), "BLOCKED") << part << answer->response.body;
  }
  const auto sound =
      post(kGuardrailPath, R"({"input_type":"request","texts":["soup","a"],"request_data":{},"images":[],)"
                           R"("structured_messages":[{"role":"system","content":"a"},)"
                           R"({"role":"user","content":[{"type":"text","text":"soup"}]}]})");
  EXPECT_EQ(sound->text("/action"), "GUARDRAIL_INTERVENED") << sound->response.body;
}

TEST_F(LitellmRoute, WhatIsNotUnderstoodIsAnError) {
  start({profile("chat", options())});
  const std::string bodies[] = {
      R"({"texts":["soup"]})",
      R"({"input_type":"response","texts":["soup"]})",
      R"({"input_type":"request"})",
      R"({"input_type":"request","texts":"soup"})",
      R"({"input_type":"request","texts":["soup",null]})",
      R"({"input_type":"request","texts":["soup"],"documents":["soup"]})",
      R"({"input_type":"request","texts":["soup"],"additional_provider_specific_params":{"epsilon":9}})",
      R"({"input_type":"request","texts":["soup"],"additional_provider_specific_params":{"profile":"other"}})",
  };
  for (const std::string& body : bodies) {
    const auto answer = post(kGuardrailPath, body);
    EXPECT_GE(answer->response.status, 400U) << body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("soup"))) << body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("action"))) << body;
  }
}

TEST_F(LitellmRoute, ConfigurationChoosesAProfile) {
  start({profile("first", keyed(0.1)), with_ledger("second", 1)});
  const std::string second = R"(,"additional_provider_specific_params":{"profile":"second"})";
  EXPECT_EQ(guard(R"(["soup was cold and late"])", second + of_user("alice"))->text("/action"), "BLOCKED");
  Caller caller{"key", {"first"}, false, false};
  EXPECT_GE(post(kGuardrailPath, guardrail_body(R"(["soup"])", second), caller)->response.status, 400U);
}

}  // namespace
}  // namespace sotto::server::testing
