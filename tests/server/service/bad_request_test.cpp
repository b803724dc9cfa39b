// What is wrong with a request is said with the right status, and never with its texts.
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct BadRequest {
  std::string path;
  std::string body;
  unsigned status;
  std::string parameter = {};
};

const std::string kPrivatize = "/v1/privatize";
const std::string kExplain = "/v1/explain";
const std::string kAttack = "/v1/attack";
const std::string kBudget = "/v1/budget";

std::string deep(int levels) {
  return R"({"policy":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

/// One service takes them all, and works on.
class BadRequests : public ServiceTest {
 protected:
  void expect_refused(const std::vector<BadRequest>& table) {
    config_.limits.texts = 4;
    config_.limits.document_bytes = 100;
    start({profile("mail", options()), with_ledger("charged", 10)});
    for (const BadRequest& bad : table) {
      SCOPED_TRACE(bad.path + " " + bad.body.substr(0, 100));
      const auto answer = post(bad.path, bad.body);
      EXPECT_EQ(answer->response.status, bad.status) << answer->response.body;
      EXPECT_EQ(answer->text("/error/parameter"), bad.parameter) << answer->response.body;
      EXPECT_NE(answer->text("/error/message"), "");
      EXPECT_NE(answer->text("/error/code"), "");
      EXPECT_THAT(answer->response.body, Not(HasSubstr("secret")));
    }
    EXPECT_EQ(post(kPrivatize, R"({"text": "a"})")->response.status, 200U);
  }
};

TEST_F(BadRequests, Json) {
  expect_refused(
      {{kPrivatize, "", 400},
       {kPrivatize, "{", 400},
       {kPrivatize, "[]", 400},
       {kPrivatize, "null", 400},
       {kPrivatize, "\"secret\"", 400},
       {kPrivatize, "{\"text\": \"secret\"", 400},
       {kPrivatize, "{\"text\": 'secret'}", 400},
       {kPrivatize, "{\"text\": \"secret\"} {}", 400},
       {kPrivatize, "{\"text\": \"secret\",}", 400},
       {kPrivatize, "{\"text\": \"secret\", \"text\": \"other\"}", 400},
       {kPrivatize, "{\"text\": \"a\", \"policy\": {\"oov\": \"bottom\", \"oov\": \"keep\"}}", 400},
       {kPrivatize, "{\"text\": \"secret \xFF\"}", 400},
       {kPrivatize, "{\"text\": \"secret \xC0\x80\"}", 400},
       {kPrivatize, "{\"text\": \"secret \xED\xA0\x80\"}", 400},
       {kPrivatize, R"({"text": "secret \ud800"})", 400},
       {kPrivatize, R"({"text": "secret \udc00 alone"})", 400},
       {kPrivatize, R"({"text": "secret \ud800\ud800"})", 400},
       {kPrivatize, "{\"text\": \"secret \n\"}", 400},
       {kPrivatize, deep(40), 400},
       {kPrivatize, deep(100000), 400},
       {kPrivatize, R"({"text": "a", "epsilon": 1e999})", 400},
       {kPrivatize, R"({"text": "a", "epsilon": NaN})", 400},
       {kPrivatize, R"({"text": "a", "epsilon": 123456789012345678901234567890123})", 400},
       {kPrivatize, "\xEF\xBB\xBF{\"text\": \"secret\"}", 400}});
}

TEST_F(BadRequests, Members) {
  expect_refused(
      {{kPrivatize, R"({"text": "a", "secret": 1})", 422},
       {kPrivatize, R"({})", 422, "texts"},
       {kPrivatize, R"({"text": null})", 422, "texts"},
       {kPrivatize, R"({"text": 5})", 422, "text"},
       {kPrivatize, R"({"texts": "secret"})", 422, "texts"},
       {kPrivatize, R"({"texts": ["a", 5]})", 422, "texts"},
       {kPrivatize, R"({"texts": ["a", null]})", 422, "texts"},
       {kPrivatize, R"({"texts": [["secret"]]})", 422, "texts"},
       {kPrivatize, R"({"texts": {"0": "secret"}})", 422, "texts"},
       {kPrivatize, R"({"text": "secret", "texts": ["a"]})", 422, "texts"},
       {kPrivatize, R"({"texts": ["1", "2", "3", "4", "5"]})", 422, "texts"},
       {kPrivatize, R"({"texts": ["a", "b"], "ids": ["secret"]})", 422, "ids"},
       {kPrivatize, R"({"texts": ["a", "b"], "ids": ["1", "2", "secret"]})", 422, "ids"},
       {kPrivatize, R"({"texts": ["a", "b"], "id": "secret"})", 422, "ids"},
       {kPrivatize, R"({"text": "a", "ids": []})", 422, "ids"},
       {kPrivatize, R"({"text": "a", "id": ""})", 422, "ids"},
       {kPrivatize, R"({"text": "a", "id": 7})", 422, "id"},
       {kPrivatize, R"({"text": "a", "id": ")" + std::string(1025, 'i') + "\"}", 422, "ids"},
       {kPrivatize, R"({"text": "a", "id": "1", "ids": ["secret"]})", 422, "ids"},
       {kPrivatize, R"({"texts": ["a", "b"], "subjects": ["secret"]})", 422, "subjects"},
       {kPrivatize, R"({"text": "a", "subject": "1", "subjects": ["secret"]})", 422, "subjects"},
       {kPrivatize, R"({"text": "a", "profile": "charged"})", 422, "subjects"},
       {kPrivatize, R"({"text": "a", "profile": "charged", "subject": ""})", 422, "subjects"},
       {kPrivatize, R"({"text": "a", "profile": "charged", "subject": ")" + std::string(1025, 's') + "\"}",
        422, "subjects"},
       {kPrivatize, R"({"text": "a", "profile": 1})", 422, "profile"},
       {kPrivatize, R"({"text": "secret\u0000"})", 422, "texts"},
       {kPrivatize, R"({"texts": ["a", ")" + std::string(101, 'x') + "\"]}", 422, "texts"}});
}

TEST_F(BadRequests, Choices) {
  expect_refused({{kPrivatize, R"({"text": "a", "profile": "none"})", 403, "profile"},
                  {kPrivatize, R"({"text": "a", "mechanism": "cmp"})", 422, "mechanism"},
                  {kPrivatize, R"({"text": "a", "mechanism": 1})", 422, "mechanism"},
                  {kPrivatize, R"({"text": "a", "epsilon": 2})", 422, "epsilon"},
                  {kPrivatize, R"({"text": "a", "epsilon": 0.5})", 422, "epsilon"},
                  {kPrivatize, R"({"text": "a", "epsilon": "1"})", 422, "epsilon"},
                  {kPrivatize, R"({"text": "a", "policy": "paper"})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"secret": "keep"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"oov": "keep"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"oov": "drop"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"numbers": "keep"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"stopwords": "keep"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"case": "keep"}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"oov": ["bottom"]}})", 422, "policy"},
                  {kPrivatize, R"({"text": "a", "policy": {"oov": "none"}})", 422, "oov"}});
}

TEST_F(BadRequests, Computations) {
  expect_refused(
      {{kExplain, R"({"epsilon": 1})", 422, "word"},
       {kExplain, R"({"epsilon": 1, "word": "a", "text": "secret"})", 422, "word"},
       {kExplain, R"({"epsilon": 1, "word": "a secret thing"})", 422, "word"},
       {kExplain, R"({"epsilon": 1, "word": "..."})", 422, "word"},
       {kExplain, R"({"epsilon": 1, "word": "a\u0000b"})", 422, "word"},
       {kExplain, R"({"epsilon": 1, "mechanism": "dp-mlm", "text": "a \u0000 b"})", 422, "text"},
       {kExplain, R"({"epsilon": 1, "word": "a", "place": 1})", 422, "place"},
       {kExplain, R"({"epsilon": 1, "text": "secret", "place": 2})", 422, "place"},
       {kExplain, R"({"word": "secret"})", 422, "epsilon"},
       {kExplain, R"({"epsilon": 1, "word": "a", "draws": 1000000})", 422, "draws"},
       {kExplain, R"({"epsilon": 1, "word": "a", "top": 0})", 422, "top"},
       {kExplain, R"({"epsilon": 1, "word": "a", "memory": 1})", 422},
       {kExplain, R"({"epsilon": 1, "word": "a", "model": "/etc/passwd"})", 422, "model"},
       {kExplain, R"({"epsilon": 1, "word": "a", "model": "../x.safetensors"})", 422, "model"},
       {kExplain, R"({"epsilon": 1, "word": "a", "parameters": {"wordnet": "/etc"}})", 422, "parameters"},
       {kExplain, R"({"epsilon": 1, "word": "a", "mechanism": "none"})", 422, "mechanism"},
       {kAttack, R"({"epsilon": 1, "words": 0})", 422, "words"},
       {kAttack, R"({"epsilon": 1, "words": 1000000})", 422, "words"},
       {kAttack, R"({"epsilon": 1, "draws": 1000000})", 422, "draws"},
       {kAttack, R"({"epsilon": 1, "trials": 10000000})", 422, "trials"},
       {kAttack, R"({"epsilon": 1, "threads": 2})", 422},
       {kAttack, R"({"epsilon": 1, "word": "secretsecret"})", 422, "word"},
       {kAttack, R"({"epsilon": 1, "word": ""})", 422, "word"},
       {kAttack, R"({"epsilon": 1, "word": "dog", "guesses": 0})", 422, "guesses"},
       {kAttack, R"({"epsilon": 1, "word": "dog", "trials": 5})", 422, "trials"},
       {kBudget, R"({"epsilon": 1})", 422, "tokens"},
       {kBudget, R"({"epsilon": 1, "tokens": 10000000})", 422, "tokens"},
       {kBudget, R"({"epsilon": -1, "tokens": 1})", 422, "epsilon"}});
}

class Routing : public ServiceTest {};

TEST_F(Routing, PathsAndMethods) {
  start({profile("mail", options())});
  EXPECT_EQ(get("/none")->response.status, 404U);
  const auto wrong = get("/v1/privatize");
  EXPECT_EQ(wrong->response.status, 405U);
  EXPECT_EQ(wrong->header("allow"), "POST");
  const auto posted = post("/v1/mechanisms", "{}");
  EXPECT_EQ(posted->response.status, 405U);
  EXPECT_EQ(posted->header("allow"), "GET, HEAD");
  const auto head = ask(request_of("HEAD", "/healthz", ""));
  EXPECT_EQ(head->response.status, 200U);
  EXPECT_EQ(head->response.body, "");
  Request form = request_of("POST", "/v1/privatize", R"({"text": "secret"})");
  form.headers = {{"content-type", "text/plain"}};
  EXPECT_EQ(ask(form)->response.status, 415U);
}

TEST_F(Routing, WithKeysNothingElseIsServedWithoutOne) {
  config_.keys_file = path("keys");
  start({profile("mail", options())});
  EXPECT_EQ(post("/v1/privatize", R"({"text": "secret"})")->response.status, 401U);
  EXPECT_EQ(get("/v1/mechanisms")->response.status, 401U);
  EXPECT_EQ(get("/metrics", {"name", {"mail"}, false, false})->response.status, 401U);
  EXPECT_EQ(get("/metrics", {"name", {}, false, true})->response.status, 200U);
  EXPECT_EQ(get("/healthz")->response.status, 200U);
  EXPECT_EQ(post("/v1/privatize", R"({"text": "a"})", {"name", {"mail"}, false, false})->response.status,
            200U);
  EXPECT_EQ(post("/v1/privatize", R"({"text": "a"})", {"name", {}, false, false})->response.status, 403U);
}

}  // namespace
}  // namespace sotto::server::testing
