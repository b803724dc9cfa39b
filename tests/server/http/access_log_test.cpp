#include "http/access_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/http/http_world.hpp"

namespace sotto::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AccessLogTest : public HttpWorld {};

TEST_F(AccessLogTest, SaysNothingThatARequestCouldHide) {
  start();
  Client client = this->client();
  client.post("/echo?subject=SECRETa", "SECRETb", "X-Request-Id: SECRETc\r\ntraceparent: SECRETd\r\n");
  client.get("/SECRETe/x");
  client.get("/fast", "X-API-Key: SECRETf\r\nAuthorization: Bearer SECRETf\r\nUser-Agent: SECRETg\r\n");
  client.send("SECRETh /fast HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200U);
  client.send("GET /fast HTTP/1.1\r\nHost: SECRETi.example\r\n\r\n");
  EXPECT_EQ(client.receive().status, 403U);
  client.send("SECRETj\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400U);
  ASSERT_TRUE(eventually([&] { return log().find("\"status\":400") != std::string::npos; }));
  EXPECT_THAT(log(), Not(HasSubstr("SECRET")));
  EXPECT_THAT(log(), HasSubstr(R"("method":"POST","path":"/echo","status":200)"));
  EXPECT_THAT(log(), HasSubstr(R"("method":"GET","path":"-","status":404)"));
  EXPECT_THAT(log(), HasSubstr(R"("method":"-","path":"/fast","status":200)"));
}

TEST(AccessLog, SlowReadersLoseLinesAndLearnHowMany) {
  std::mutex gate;
  std::string written;
  std::unique_lock closed(gate);
  {
    AccessLog log(
        [&](std::string_view lines) {
          const std::lock_guard open(gate);
          written += lines;
        },
        false);
    for (int i = 0; i < 30'000; ++i) log.note("a note of some length, so that the buffer is soon full");
    closed.unlock();
  }
  EXPECT_LT(written.size(), std::size_t{3} << 20);
  EXPECT_THAT(written, HasSubstr("lines were lost"));
}

TEST(AccessLog, LinesAreJson) {
  std::string written;
  {
    AccessLog log([&](std::string_view lines) { written += lines; }, true);
    AccessEntry entry;
    entry.key_name = "a\"b\n\xff";
    entry.duration = std::chrono::microseconds(1234);
    log.add(entry);
    entry.trace_id = "0af7";
    log.add(entry);
  }
  const std::size_t end = written.find('\n');
  const auto first = nlohmann::json::parse(written.substr(0, end));
  EXPECT_EQ(first["ms"], 1.234);
  EXPECT_EQ(first["key"], "a\"b\n\xEF\xBF\xBD");
  EXPECT_FALSE(first.contains("trace"));
  EXPECT_EQ(nlohmann::json::parse(written.substr(end))["trace"], "0af7");
}

TEST(AccessLog, NotesAreWrittenWithoutALinePerRequest) {
  std::string written;
  {
    AccessLog log([&](std::string_view lines) { written += lines; }, false);
    log.add({});
    log.note("the keys stay as they were");
  }
  EXPECT_THAT(written, HasSubstr("the keys stay"));
  EXPECT_THAT(written, Not(HasSubstr("status")));
}

}  // namespace
}  // namespace sotto::server
