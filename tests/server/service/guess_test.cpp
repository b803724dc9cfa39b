// POST /v1/attack with one output: what the best attacker says of it.
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Guesses : public ServiceTest {};

TEST_F(Guesses, AreBestFirst) {
  start({profile("mail", options())});
  const auto answer =
      post("/v1/attack", R"({"word": "Doctor", "epsilon": 1, "prior": "counts", "guesses": 3})");
  ASSERT_EQ(answer->response.status, 200U) << answer->response.body;
  EXPECT_EQ(answer->text("/output"), "doctor");
  EXPECT_EQ(answer->text("/guesses/0/word"), "doctor");
  EXPECT_GT(answer->number("/guesses/0/probability"), answer->number("/guesses/1/probability"));
  EXPECT_EQ(answer->part("/exact"), "true");
}

TEST_F(Guesses, AgreeFromAnOpenMechanism) {
  start({profile("mail", options())});
  const std::string request =
      R"({"word": "hotel", "mechanism": "cmp", "epsilon": 40, "draws": 20, "seed": 7})";
  EXPECT_EQ(post("/v1/attack", request)->response.body, post("/v1/attack", request)->response.body);
}

TEST_F(Guesses, ThatAreWrongNameTheMember) {
  start({profile("mail", options())});
  for (const auto& [body, parameter] : std::vector<std::pair<std::string, std::string>>{
           {R"({"word": "secretword", "epsilon": 1})", "word"},
           {R"({"word": "doctor"})", "epsilon"},
           {R"({"word": "doctor", "epsilon": 1, "trials": 5})", "trials"},
           {R"({"word": "doctor", "epsilon": 1, "guesses": 0})", "guesses"},
           {R"({"word": "doctor", "epsilon": 1, "draws": 100000000})", "draws"},
           {R"({"word": "doctor", "epsilon": 1, "prior": "mine"})", "prior"},
           {R"({"word": "doctor", "epsilon": 1, "model": "../x"})", "model"},
           {R"({"word": "doctor", "epsilon": 1, "mechanism": "dp-mlm"})", "mechanism"}}) {
    const auto answer = post("/v1/attack", body);
    EXPECT_EQ(answer->response.status, 422U) << body;
    EXPECT_EQ(answer->text("/error/parameter"), parameter) << answer->response.body;
    EXPECT_THAT(answer->response.body, Not(HasSubstr("secretword")));
  }
}

}  // namespace
}  // namespace sotto::server::testing
