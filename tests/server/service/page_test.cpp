// The page's files, and what a browser is told about them.
#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;

class Pages : public ServiceTest {};

TEST_F(Pages, AreServedWithTheirTypes) {
  start({profile("mail", options())});
  for (const auto& [path, type] :
       {std::pair("/", "text/html"), std::pair("/experiments", "text/html"),
        std::pair("/web/playground.js", "text/javascript"), std::pair("/web/base.css", "text/css")}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->response.status, 200U) << path;
    EXPECT_THAT(answer->response.content_type, HasSubstr(type));
    EXPECT_FALSE(answer->response.body.empty());
  }
}

TEST_F(Pages, AllowNothingFromElsewhere) {
  start({profile("mail", options())});
  for (const char* path : {"/", "/experiments", "/web/playground.js"}) {
    const auto answer = get(path);
    const std::string policy = answer->header("content-security-policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(answer->header("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer->header("cache-control"), "no-cache");
  }
}

TEST_F(Pages, AreNotSentAgain) {
  start({profile("mail", options())});
  const std::string tag = get("/")->header("etag");
  ASSERT_FALSE(tag.empty());
  for (const std::string& known : std::vector<std::string>{tag, "\"other\", W/" + tag, "*"}) {
    Request request = request_of("GET", "/", "");
    request.headers.emplace_back("if-none-match", known);
    const auto answer = ask(std::move(request));
    EXPECT_EQ(answer->response.status, 304U) << known;
    EXPECT_EQ(answer->response.body, "");
    EXPECT_EQ(answer->header("etag"), tag);
  }
  Request request = request_of("GET", "/", "");
  request.headers.emplace_back("if-none-match", "\"other\"");
  EXPECT_EQ(ask(std::move(request))->response.status, 200U);
}

TEST_F(Pages, AreOnlyThose) {
  start({profile("mail", options())});
  for (const char* path : {"/web/", "/web/nonesuch", "/web/../server_config.hpp", "/web/package.json",
                           "/web//index.html", "/web/%2e%2e/x", "/index.html"})
    EXPECT_EQ(get(path)->response.status, 404U) << path;
  EXPECT_EQ(post("/", "{}")->response.status, 405U);
}

TEST_F(Pages, CanBeTurnedOff) {
  config_.playground = false;
  start({profile("mail", options())});
  EXPECT_EQ(get("/")->response.status, 404U);
  EXPECT_EQ(post("/v1/preview", R"({"text": "a", "epsilons": [1]})")->response.status, 404U);
}

}  // namespace
}  // namespace sotto::server::testing
