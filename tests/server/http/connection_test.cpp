// What one connection does: ordinary requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_world.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConnectionTest : public HttpWorld {};

TEST_F(ConnectionTest, OneConnectionServesManyRequests) {
  start();
  Client client = this->client();
  for (int i = 0; i < 100; ++i) {
    const std::string body = "body " + std::to_string(i);
    const Answer answer = client.post("/echo", body);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.body, body);
  }
  const Answer last = client.get("/fast", "Connection: close\r\n");
  EXPECT_EQ(last.status, 200U);
  EXPECT_EQ(last.header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(ConnectionTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  Client client = this->client();
  std::string requests;
  for (int i = 0; i < 50; ++i)
    requests +=
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n" + std::to_string(10 + i);
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.receive().body, std::to_string(10 + i));
}

TEST_F(ConnectionTest, BytesMayArriveOneByOne) {
  start();
  Client client = this->client();
  for (const char c :
       std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n"))
    ASSERT_TRUE(client.send(std::string(1, c)));
  EXPECT_EQ(client.receive().body, "abcdefg");
  EXPECT_EQ(client.get("/fast").status, 200U);
}

TEST_F(ConnectionTest, TheServiceSeesTheRequestWithoutItsKey) {
  start();
  Client client = this->client();
  client.post("/echo?profile=chat&x", "b",
              "X-Thing: Value\r\nAuthorization: Bearer hidden\r\nCookie: c\r\nX-API-Key: hidden\r\n");
  const Request seen = service_.last();
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "/echo");
  EXPECT_EQ(seen.query, "profile=chat&x");
  EXPECT_EQ(seen.body, "b");
  EXPECT_EQ(seen.caller.profiles, std::vector<std::string>{"default"});
  EXPECT_THAT(seen.headers, ::testing::Contains(Header("x-thing", "Value")));
  for (const auto& [name, value] : seen.headers) EXPECT_THAT(value, Not(HasSubstr("hidden"))) << name;
}

TEST_F(ConnectionTest, HeadAndOptions) {
  start();
  Client client = this->client();
  client.send("HEAD /fast HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Answer head = client.receive(true);
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.header("content-length"), "2");
  client.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Answer options = client.receive();
  EXPECT_EQ(options.status, 204U);
  EXPECT_THAT(options.header("allow"), HasSubstr("POST"));
  EXPECT_EQ(options.header("access-control-allow-origin"), "");
  EXPECT_EQ(client.get("/fast").body, "ok");
}

TEST_F(ConnectionTest, AnExpectedContinueComesBeforeTheBody) {
  start();
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100U);
  client.send("abc");
  EXPECT_EQ(client.receive().body, "abc");
  EXPECT_EQ(client.get("/fast", "Expect: miracles\r\n").status, 417U);
}

TEST_F(ConnectionTest, Http10IsAnsweredAndClosed) {
  start();
  Client client = this->client();
  client.send("GET /fast HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client.receive().body, "ok");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(ConnectionTest, IdsAndTracesComeBack) {
  start();
  Client client = this->client();
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const Answer answer =
      client.get("/fast", "X-Request-Id: 0af7651916cd43dd\r\ntraceparent: " + trace + "\r\n");
  EXPECT_EQ(answer.header("x-request-id"), "0af7651916cd43dd");
  EXPECT_EQ(answer.header("traceparent"), trace);
  EXPECT_EQ(service_.last().id, "0af7651916cd43dd");
  EXPECT_THAT(service_.last().headers, ::testing::Contains(Header("traceparent", trace)));
  const Answer other = client.get("/fast", "X-Request-Id: john\r\ntraceparent: 00-john\r\n");
  EXPECT_EQ(other.header("x-request-id").size(), 32U);
  EXPECT_EQ(other.header("traceparent"), "");
  EXPECT_TRUE(eventually(
      [&] { return log().find("\"trace\":\"0af7651916cd43dd8448eb211c80319c\"") != std::string::npos; }));
}

TEST_F(ConnectionTest, AServiceThatFailsGivesAnError) {
  start();
  Client client = this->client();
  EXPECT_EQ(client.get("/drop").status, 500U);
  EXPECT_EQ(client.get("/throw").status, 500U);
  EXPECT_EQ(client.get("/fast").status, 200U);
}

TEST_F(ConnectionTest, ListensOnSocketsAndIpv6) {
  const testing::TemporaryFolder folder;
  const std::string path = "unix:" + (folder.path() / "s").string();
  config_.listen = {"127.0.0.1:0", "[::1]:0", path};
  start();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(client(i).get("/fast").status, 200U) << address(i);
  EXPECT_FALSE(HttpServer::start(config_, service_, [](std::string_view) {})) << "the socket is in use";
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s"));
}

TEST_F(ConnectionTest, MetricsHaveAListenerOfTheirOwn) {
  config_.metrics_listen = "127.0.0.1:0";
  start();
  Client client = this->client(1);
  EXPECT_EQ(client.get("/metrics").status, 200U);
  EXPECT_TRUE(service_.last().caller.metrics);
  EXPECT_EQ(client.get("/healthz").status, 200U);
  EXPECT_EQ(client.post("/echo", "x").status, 404U);
}

TEST_F(ConnectionTest, WithoutKeysWebPagesAreNotAnswered) {
  start();
  Client client = this->client();
  client.send("GET /fast HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.receive().status, 403U);
  EXPECT_EQ(client.post("/echo", "x", "Origin: http://evil.example\r\n").status, 403U);
  EXPECT_EQ(this->client().post("/echo", "x", "Origin: http://localhost\r\n").status, 200U);
}

}  // namespace
}  // namespace sotto::server
