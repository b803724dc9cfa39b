// POST /v1/preview as a client sees it; what a preview is, tests/server/playground tests.
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PreviewRequests : public ServiceTest {};

TEST_F(PreviewRequests, GiveOneSettingForEachEpsilon) {
  start({profile("mail", options())});
  const auto answer =
      post("/v1/preview", R"({"text": "The doctor met <b>Anna</b>.", "mechanism": "diffractor-geometric",
      "epsilons": [0.1, 1.04], "policy": {"policy": "paper", "numbers": "random"}, "draw": 3, "measure": true})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_THAT(answer->text("/preview"), HasSubstr("not private"));
  EXPECT_EQ(answer->number("/settings/0/epsilon"), 0.1);
  EXPECT_EQ(answer->number("/settings/1/epsilon"), 1);  // rounded to two digits
  EXPECT_EQ(answer->text("/tokens/1/in"), "doctor");
  EXPECT_EQ(answer->part("/tokens/0/clear"), "true");  // a stopword
  EXPECT_EQ(answer->part("/tokens/1/clear"), "false");
  EXPECT_GT(answer->number("/settings/1/similarity"), -1);
  EXPECT_EQ(answer->part("/pending"), "[]");
}

TEST_F(PreviewRequests, AreChargedToNoLedger) {
  start({with_ledger("charged", 1)});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(post("/v1/preview", R"({"text": "a b c d e f g", "epsilons": [1]})")->response.status, 200U);
  const auto answer = post("/v1/privatize", R"({"text": "doctor", "subject": "s"})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->part("/withheld"), "[]");
}

TEST_F(PreviewRequests, ThatAreWrongNameTheMember) {
  start({profile("mail", options())});
  struct Wrong {
    std::string body;
    std::string parameter;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {R"({"epsilons": [1]})", "text"},
           {R"({"text": "a \u0000 secret", "epsilons": [1]})", "text"},
           {R"({"text": "secret"})", "epsilons"},
           {R"({"text": "secret", "epsilons": []})", "epsilons"},
           {R"({"text": "secret", "epsilons": 1})", "epsilons"},
           {R"({"text": "secret", "epsilons": ["1"]})", "epsilons"},
           {R"({"text": "secret", "epsilons": [0]})", "epsilons"},
           {R"({"text": "secret", "epsilons": [1e999]})", ""},
           {R"({"text": "secret", "epsilons": [1,1,1,1,1,1,1,1,1,1,1,1,1]})", "epsilons"},
           {R"({"text": "secret", "epsilons": [1], "draw": -1})", "draw"},
           {R"({"text": "secret", "epsilons": [1], "measure": 1})", "measure"},
           {R"({"text": "secret", "epsilons": [1], "model": "/etc/passwd"})", "model"},
           {R"({"text": "secret", "epsilons": [1], "mechanism": "nonesuch"})", "mechanism"},
           {R"({"text": "secret", "epsilons": [1], "policy": {"policy": "loose"}})", "policy"},
           {R"({"text": "secret", "epsilons": [1], "policy": {"stopwords": "drop"}})", "stopwords"},
           {R"({"text": "secret", "epsilons": [1], "seed": 1})", ""},
           {R"({"text": ")" + std::string(2001, 'x') + R"(", "epsilons": [1]})", "text"}}) {
    const auto answer = post("/v1/preview", wrong.body);
    EXPECT_GE(answer->response.status, 400U) << wrong.body;
    EXPECT_LT(answer->response.status, 500U) << wrong.body;
    EXPECT_EQ(answer->text("/error/parameter"), wrong.parameter) << answer->response.body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace sotto::server::testing
