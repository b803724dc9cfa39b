// All routes but /v1/privatize.
#include <regex>
#include <sstream>

#include <sotto/settlement.hpp>

#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Routes : public ServiceTest {};

TEST_F(Routes, Explain) {
  start({profile("mail", options())});
  const auto word = post("/v1/explain", R"({"word": "dog", "epsilon": 1, "top": 3})");
  ASSERT_EQ(word->response.status, 200U) << word->response.body;
  EXPECT_EQ(word->text("/word"), "dog");
  const auto place = post("/v1/explain", R"({"text": "the dog barks", "place": 2, "epsilon": 1})");
  EXPECT_EQ(place->text("/word"), "dog") << place->response.body;
}

TEST_F(Routes, TheDocumentDescribesEveryRoute) {
  start({profile("mail", options())});
  const auto document = get("/openapi.json");
  ASSERT_EQ(document->response.status, 200U);
  EXPECT_EQ(document->text("/openapi"), "3.1.0");
  EXPECT_EQ(document->text("/components/schemas/receipt/title"), "Sotto receipt");
  const std::string& text = document->response.body;
  const std::regex reference(R"re("\$ref"\s*:\s*"([^"]*)")re");
  for (std::sregex_iterator found(text.begin(), text.end(), reference), end; found != end; ++found) {
    ASSERT_TRUE((*found)[1].str().starts_with("#/")) << (*found)[1];
    EXPECT_FALSE(document->json.at_pointer((*found)[1].str().substr(1)).error()) << (*found)[1];
  }
  simdjson::dom::object paths;
  ASSERT_FALSE(document->json.at_pointer("/paths").get_object().get(paths));
  for (const auto& path : paths) {
    simdjson::dom::object methods;
    ASSERT_FALSE(path.value.get_object().get(methods));
    for (const auto& method : methods) {
      const bool posts = method.key == "post";
      const auto answer = posts ? post(std::string(path.key), "{}") : get(std::string(path.key));
      EXPECT_NE(answer->response.status, 404U) << path.key;
      EXPECT_NE(answer->response.status, 405U) << path.key;
      EXPECT_FALSE(method.value.at_pointer("/responses/" + std::to_string(answer->response.status)).error())
          << path.key << " answers " << answer->response.status;
    }
  }
}

TEST_F(Routes, AttackAndBudget) {
  start({profile("mail", options())});
  const auto attack = post("/v1/attack", R"({"epsilon": 1, "words": 20, "attacks": ["nearest"]})");
  ASSERT_EQ(attack->response.status, 200U) << attack->response.body;
  EXPECT_EQ(attack->number("/words"), 20);
  const auto guesses = post("/v1/attack", R"({"epsilon": 3, "word": "dog", "guesses": 2})");
  ASSERT_EQ(guesses->response.status, 200U) << guesses->response.body;
  EXPECT_EQ(guesses->text("/output"), "dog");
  EXPECT_EQ(guesses->text("/guesses/0/word"), "dog");
  const auto budget = post("/v1/budget", R"({"epsilon": 2, "tokens": 10})");
  ASSERT_EQ(budget->response.status, 200U) << budget->response.body;
  EXPECT_EQ(budget->text("/strategy"), "token");
}

TEST_F(Routes, Listings) {
  Profile mail = profile("mail", keyed());
  mail.allowed = {{"cmp", 10}};
  start({mail, with_ledger("charged", 5)});
  EXPECT_EQ(get("/v1/mechanisms")->text("/0/name"), "diffractor-geometric");
  EXPECT_THAT(get("/v1/models")->response.body, HasSubstr("sotto-en-lists"));
  EXPECT_THAT(get("/v1/models")->response.body, Not(HasSubstr("/")));
  const auto profiles = get("/v1/profiles");
  EXPECT_EQ(profiles->text("/profiles/0/name"), "mail");
  EXPECT_EQ(profiles->part("/profiles/0/allowed"), R"([{"mechanism":"cmp","most_epsilon":10}])");
  EXPECT_EQ(profiles->number("/profiles/1/limit"), 5);
  EXPECT_THAT(profiles->response.body, Not(HasSubstr(folder_.path().string())));
  const auto one = get("/v1/profiles", {"name", {"charged"}, false, false});
  EXPECT_EQ(one->text("/profiles/0/name"), "charged");
  EXPECT_THAT(one->response.body, Not(HasSubstr("mail")));
}

TEST_F(Routes, WorkersReserveInTheLedger) {
  start({with_ledger("mail", 3)});
  const auto worker = Privatizer::make(keyed()).value();
  const std::vector<FieldText> fields = {{"text", "one two"}, {"text", "three four"}};
  const std::vector<Record> records = {{"set", "1", "ann", {&fields[0], 1}},
                                       {"set", "2", "ann", {&fields[1], 1}}};
  std::vector<UnsettledRecord> outputs(2);
  ASSERT_TRUE(worker->rewrite(records, outputs));
  const std::vector<LedgerClaim> claims = {outputs[0].claim, outputs[1].claim};
  std::string body = to_json(std::span(claims));
  body.insert(body.find('{') + 1, R"("profile": "mail",)");
  for (int i = 0; i < 2; ++i) {
    const auto reserved = post("/v1/ledger/reserve", body);
    ASSERT_EQ(reserved->response.status, 200U) << reserved->response.body;
    EXPECT_EQ(reserved->part("/released"), "[true,false]");
  }
  EXPECT_EQ(post("/v1/ledger/release", body)->part("/released"), "[true,false]");
  const auto account = post("/v1/ledger/query", R"({"subject": "ann"})");
  EXPECT_EQ(account->number("/spent"), 2);
  EXPECT_EQ(account->number("/remaining"), 1);
  EXPECT_THAT(account->response.body, Not(HasSubstr("ann")));
}

TEST_F(Routes, LedgersNeedAKeyThatMayUseThem) {
  config_.keys_file = path("keys");
  start({with_ledger("mail", 3), profile("free", options())});
  const std::string body = R"({"subject": "ann"})";
  EXPECT_EQ(post("/v1/ledger/query", body, {"name", {"mail"}, false, false})->response.status, 403U);
  EXPECT_EQ(post("/v1/ledger/query", body, {"name", {"mail"}, true, false})->response.status, 200U);
  EXPECT_EQ(post("/v1/ledger/query", body, {"name", {"free"}, true, false})->response.status, 422U);
  const Caller worker{"name", {"mail"}, true, false};
  for (const std::string wrong : {"{}", R"({"version": 2})", R"({"version": 2, "claims": [{}]})",
                                  R"({"version": 2, "claims": 5})", R"({"claims": []})"})
    EXPECT_EQ(post("/v1/ledger/reserve", wrong, worker)->response.status, 422U) << wrong;
}

/// Each line is a comment or a sample, each family has one type before its samples, and buckets add up.
void expect_prometheus(const std::string& text) {
  const std::regex sample(R"re(([a-z_]+)(\{([a-z]+="([^"\\\n]|\\.)*",?)*\})? [0-9.e+-]+)re");
  std::istringstream lines(text);
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) family = line.substr(7, line.find(' ', 7) - 7);
    if (line.starts_with("#")) continue;
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
    EXPECT_TRUE(match[1].str().starts_with(family)) << line;
  }
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST_F(Routes, MetricsCountWithoutNamingAnybody) {
  start({with_ledger("mail", 3)});
  post("/v1/privatize",
       R"({"texts": ["marked one", "text two"], "subject": "markedsubject", "ids": ["markedid", "b"]})");
  post("/v1/privatize", R"({"text": 5})");
  get("/none");
  const auto metrics = get("/metrics");
  EXPECT_THAT(metrics->response.content_type, HasSubstr("text/plain; version=0.0.4"));
  const std::string& text = metrics->response.body;
  EXPECT_THAT(text, HasSubstr("sotto_requests_total{route=\"POST /v1/privatize\",status=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sotto_requests_total{route=\"POST /v1/privatize\",status=\"422\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sotto_request_seconds_count{route=\"POST /v1/privatize\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("sotto_texts_total{profile=\"mail\",unit=\""));
  EXPECT_TRUE(std::regex_search(text, std::regex("sotto_withheld_total\\{profile=\"mail\"[^\n]*\\} 1\n")));
  EXPECT_TRUE(
      std::regex_search(text, std::regex("sotto_epsilon_released_total\\{profile=\"mail\"[^\n]*\\} 2\n")));
  EXPECT_THAT(text, Not(HasSubstr("marked")));
  EXPECT_FALSE(std::regex_search(text, std::regex("process_resident_memory_bytes 0\n")));
  expect_prometheus(text);
}

}  // namespace
}  // namespace sotto::server::testing
