#include "http/authenticator.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_world.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::server {
namespace {

using ::testing::HasSubstr;

class AuthenticatorTest : public HttpWorld {
 protected:
  AuthenticatorTest() {
    config_.keys_file = files_.keys;
    config_.secret_file = files_.secret;
  }
  std::string add(const std::string& name, bool metrics = false, bool rotate = false) {
    ApiKey key;
    key.name = name;
    key.metrics = metrics;
    return add_api_key(files_, key, rotate).value();
  }

  testing::TemporaryFolder folder_;
  KeyFiles files_{folder_.path() / "keys.yaml", folder_.path() / "secret"};
};

TEST_F(AuthenticatorTest, AKeyIsNeededAndNamed) {
  const std::string key = add("web");
  start();
  Client client = this->client();
  const Answer without = client.post("/echo", "x");
  EXPECT_EQ(without.status, 401U);
  EXPECT_THAT(without.header("www-authenticate"), HasSubstr("Bearer"));
  EXPECT_EQ(this->client().post("/echo", "x", "X-API-Key: wrong\r\n").status, 401U);
  EXPECT_EQ(this->client().post("/echo", "x", "Authorization: Basic " + key + "\r\n").status, 401U);
  EXPECT_EQ(service_.handled(), 0U);
  Client good = this->client();
  EXPECT_EQ(good.post("/echo", "x", "X-API-Key: " + key + "\r\n").status, 200U);
  EXPECT_EQ(good.post("/echo", "x", "Authorization: bearer " + key + "\r\n").status, 200U);
  EXPECT_EQ(service_.last().caller.key_name, "web");
  EXPECT_EQ(good.get("/healthz").status, 200U);
  EXPECT_TRUE(eventually([&] { return log().find("\"key\":\"web\"") != std::string::npos; }));
}

TEST_F(AuthenticatorTest, TwoDifferentKeysAreRefused) {
  const std::string key = add("web");
  start();
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + key + "\r\nAuthorization: Bearer other\r\n").status, 400U);
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + key + "\r\nX-API-Key: " + key + "\r\n").status, 400U);
}

TEST_F(AuthenticatorTest, WithKeysAnyHostAndOriginIsAnswered) {
  const std::string key = add("web");
  start();
  Client client = this->client();
  client.send("GET /fast HTTP/1.1\r\nHost: sotto.example\r\nX-API-Key: " + key + "\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200U);
}

TEST_F(AuthenticatorTest, MetricsNeedTheRight) {
  const std::string plain = add("web"), metrics = add("scraper", true);
  start();
  EXPECT_EQ(client().get("/metrics").status, 401U);
  EXPECT_EQ(client().get("/metrics", "X-API-Key: " + plain + "\r\n").status, 403U);
  EXPECT_EQ(client().get("/metrics", "X-API-Key: " + metrics + "\r\n").status, 200U);
}

TEST_F(AuthenticatorTest, KeysChangeWithoutARestart) {
  const std::string old = add("web");
  start();
  const std::string fresh = add("web", false, true);
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + fresh + "\r\n").status, 401U);
  server_->reload();
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + fresh + "\r\n").status, 200U);
  EXPECT_EQ(service_.last().caller.key_name, "web");
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + old + "\r\n").status, 200U);
  ASSERT_TRUE(remove_api_keys(files_, "web", true));
  server_->reload();
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + old + "\r\n").status, 401U);
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + fresh + "\r\n").status, 200U);
}

TEST_F(AuthenticatorTest, ABrokenFileLeavesTheKeysAsTheyWere) {
  const std::string key = add("web");
  start();
  std::ofstream(files_.keys) << "- {nonsense";
  server_->reload();
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + key + "\r\n").status, 200U);
  std::filesystem::remove(files_.keys);
  server_->reload();
  EXPECT_EQ(client().get("/fast", "X-API-Key: " + key + "\r\n").status, 200U);
  EXPECT_TRUE(eventually([&] { return log().find("the keys stay as they were") != std::string::npos; }));
}

TEST_F(AuthenticatorTest, AServerWithoutItsKeysDoesNotStart) {
  EXPECT_FALSE(HttpServer::start(config_, service_, [](std::string_view) {}));
}

TEST_F(AuthenticatorTest, ANameHasARateWhateverItsKeys) {
  config_.limits.requests_per_key = 3;
  const std::string old = add("web"), fresh = add("web", false, true), other = add("other");
  start();
  Client client = this->client();
  unsigned refused = 0;
  for (int i = 0; i < 10; ++i) {
    const Answer answer = client.get("/fast", "X-API-Key: " + (i % 2 == 0 ? old : fresh) + "\r\n");
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_EQ(answer.header("retry-after"), "1");
  }
  EXPECT_GE(refused, 5U);
  EXPECT_EQ(client.get("/fast", "X-API-Key: " + other + "\r\n").status, 200U);
}

TEST_F(AuthenticatorTest, ANameHasSoManyRequestsAtOnce) {
  config_.limits.concurrent_per_key = 1;
  const std::string key = "X-API-Key: " + add("web") + "\r\n";
  start();
  Client first = client();
  first.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n" + key + "\r\n");
  ASSERT_TRUE(eventually([&] { return service_.waiting() == 1; }));
  EXPECT_EQ(client().get("/fast", key).status, 429U);
  EXPECT_EQ(client().get("/healthz", key).status, 200U);
  service_.release();
  EXPECT_EQ(first.receive().status, 200U);
  EXPECT_TRUE(eventually([&] { return client().get("/fast", key).status == 200; }));
}

TEST(KeyUsage, TokensComeBackWithTime) {
  Limits limits;
  limits.requests_per_key = 2;
  KeyUsage usage;
  const auto begin = KeyUsage::Clock::now();
  EXPECT_FALSE(usage.start(limits, begin));
  EXPECT_FALSE(usage.start(limits, begin));
  EXPECT_TRUE(usage.start(limits, begin));
  EXPECT_TRUE(usage.start(limits, begin + std::chrono::milliseconds(400)));
  EXPECT_FALSE(usage.start(limits, begin + std::chrono::milliseconds(600)));
  EXPECT_FALSE(usage.start(limits, begin + std::chrono::hours(1)));
  EXPECT_FALSE(usage.start(limits, begin + std::chrono::hours(1)));
  EXPECT_TRUE(usage.start(limits, begin + std::chrono::hours(1))) << "tokens do not pile up";
}

}  // namespace
}  // namespace sotto::server
