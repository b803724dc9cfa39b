// Requests that are read, and answered, line by line.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_world.hpp"

namespace sotto::server {
namespace {

using ::testing::HasSubstr;

const std::string kStream = "POST /lines HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(const std::string& text) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

class LineExchangeTest : public HttpWorld {};

TEST_F(LineExchangeTest, LinesAreAnsweredWhileOthersAreStillToCome) {
  start();
  Client client = this->client();
  client.send(kStream + chunk("one\ntw"));
  const std::string first = client.rest(0.5);
  EXPECT_THAT(first, HasSubstr("<one\n"));
  EXPECT_THAT(first, HasSubstr("application/x-ndjson"));
  EXPECT_EQ(first.find("tw"), std::string::npos);
  client.send(chunk("o\nthree"));
  EXPECT_THAT(client.rest(0.5), HasSubstr("<two\n"));
  client.send("0\r\n\r\n");
  EXPECT_THAT(client.rest(0.5), HasSubstr("<three\r\n0\r\n\r\n"));
  EXPECT_EQ(client.get("/fast").status, 200U);
}

TEST_F(LineExchangeTest, ManyLinesOfAnySizeArriveWhole) {
  start();
  Client client = this->client();
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines += std::to_string(i) + std::string(static_cast<std::size_t>(i % 700), 'x') + "\n";
  std::thread sender([&] {
    client.send(kStream);
    for (std::size_t at = 0; at < lines.size(); at += 9973) client.send(chunk(lines.substr(at, 9973)));
    client.send("0\r\n\r\n");
  });
  Answer answer = client.receive();
  sender.join();
  EXPECT_TRUE(answer.complete);
  std::string plain;
  for (const char c : answer.body)
    if (c != '<') plain += c;
  EXPECT_EQ(plain, lines);
}

TEST_F(LineExchangeTest, AStreamThatFailsEndsVisiblyIncomplete) {
  start();
  Client client = this->client();
  client.send(kStream + chunk("one\n"));
  EXPECT_THAT(client.rest(0.3), HasSubstr("<one\n"));
  client.send(chunk("break\n"));
  const std::string rest = client.rest();
  EXPECT_THAT(rest, HasSubstr("{\"error\": \"broken\"}\n"));
  EXPECT_EQ(rest.find("0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(LineExchangeTest, ABodyThatBreaksOffIsAnErrorNotAnEnd) {
  start();
  Client client = this->client();
  client.send(kStream + chunk("one\n") + "5\r\ntw");
  client.end_output();
  const Answer answer = client.receive();
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.body.find("<tw"), std::string::npos);
}

TEST_F(LineExchangeTest, OtherAnswersAreOrdinaryOnes) {
  start();
  const std::pair<const char*, unsigned> cases[] = {{"refuse", 422}, {"throw", 500}, {"silent", 500}};
  for (const auto& [query, status] : cases) {
    Client client = this->client();
    const Answer answer = client.post(std::string("/lines?") + query, "one\n");
    EXPECT_EQ(answer.status, status) << query;
    EXPECT_TRUE(answer.complete) << query;
  }
}

TEST_F(LineExchangeTest, AnEmptyBodyIsNoStream) {
  start();
  EXPECT_EQ(client().post("/lines", "").status, 500U) << "the service wrote nothing";
}

TEST_F(LineExchangeTest, ALineIsAtMostABodyLong) {
  config_.limits.body_bytes = 10'000;
  start();
  Client client = this->client();
  std::thread sender([&] {
    client.send(kStream);
    for (int i = 0; i < 200; ++i)
      if (!client.send(chunk(std::string(1000, 'x')))) break;
  });
  const std::string rest = client.rest();
  sender.join();
  EXPECT_THAT(rest, HasSubstr("reading"));
  EXPECT_EQ(rest.find("xxxx"), std::string::npos);
}

TEST_F(LineExchangeTest, SoManyStreamsAtOnce) {
  config_.limits.streams = 2;
  start();
  std::vector<Client> open;
  for (int i = 0; i < 2; ++i) {
    open.push_back(client());
    open.back().send(kStream + chunk("a\n"));
    EXPECT_THAT(open.back().rest(0.3), HasSubstr("<a\n"));
  }
  Client surplus = client();
  surplus.send(kStream + chunk("a\n") + "0\r\n\r\n");
  EXPECT_EQ(surplus.receive().status, 503U);
  open.clear();
  EXPECT_TRUE(eventually([&] {
    Client again = client();
    again.send(kStream + chunk("a\n") + "0\r\n\r\n");
    return again.receive().status == 200;
  }));
}

TEST_F(LineExchangeTest, AClientThatStopsSendingIsCutOff) {
  config_.limits.body_time = std::chrono::seconds(1);
  start();
  Client client = this->client();
  client.send(kStream + chunk("one\n"));
  const Answer answer = client.receive();
  EXPECT_FALSE(answer.complete);
  EXPECT_THAT(answer.body, HasSubstr("reading"));
}

TEST_F(LineExchangeTest, StreamsNeedHttp11) {
  start();
  Client client = this->client();
  client.send("POST /lines HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\n\r\na\n");
  EXPECT_EQ(client.receive().status, 505U);
}

}  // namespace
}  // namespace sotto::server
