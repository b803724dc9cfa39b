// Clients that are slow, greedy or many.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/http/http_world.hpp"
#include "support/sanitized.hpp"

namespace sotto::server {
namespace {

using std::chrono::seconds;

/// Of this process, in bytes.
std::size_t resident_memory() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// As many descriptors as the system allows.
void allow_many_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class LimitsTest : public HttpWorld {};

TEST_F(LimitsTest, ABodyThatIsAnnouncedAsTooLargeIsRefusedBeforeItComes) {
  config_.limits.body_bytes = 1000;
  start();
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
  const Answer answer = client.receive();
  EXPECT_EQ(answer.status, 413U);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(this->client().post("/echo", std::string(1000, 'x')).status, 200U);
}

TEST_F(LimitsTest, ABodyInChunksIsRefusedWhereItBecomesTooLarge) {
  config_.limits.body_bytes = 1000;
  start();
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 20; ++i) client.send("64\r\n" + std::string(100, 'x') + "\r\n");
  EXPECT_EQ(client.receive().status, 413U);
}

TEST_F(LimitsTest, AGigabyteTakesLittleMemory) {
  start();
  const std::size_t before = resident_memory();
  for (const bool chunked : {false, true}) {
    Client client = this->client();
    client.send(std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\n") +
                (chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 1073741824\r\n\r\n"));
    const std::string part(1 << 20, 'x');
    const std::string framed = chunked ? "100000\r\n" + part + "\r\n" : part;
    for (int i = 0; i < 1024; ++i)
      if (!client.send(framed)) break;
    EXPECT_EQ(client.receive().status, 413U) << chunked;
  }
  EXPECT_LT(resident_memory(), before + (std::size_t{64} << 20));
  EXPECT_EQ(client().get("/fast").status, 200U);
}

TEST_F(LimitsTest, BodiesShareABudget) {
  config_.limits.bodies_bytes = std::size_t{4} << 20;
  config_.limits.body_bytes = std::size_t{1} << 20;
  start();
  std::vector<Client> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(client());
    clients.back().send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n" +
                        std::string((1 << 20) - 1, 'x'));
  }
  // Together they are twice the budget, and none is complete.
  ASSERT_TRUE(eventually([&] { return log().find("\"status\":503") != std::string::npos; }));
  unsigned full = 0, served = 0;
  for (Client& client : clients) {
    client.send("x");
    const Answer answer = client.receive();
    full += answer.status == 503;
    served += answer.status == 200;
    if (answer.status == 503) {
      EXPECT_EQ(answer.header("retry-after"), "1");
    }
  }
  EXPECT_GE(full, 1U);
  EXPECT_GE(served, 1U);
  EXPECT_EQ(full + served, 8U);
  clients.clear();
  EXPECT_TRUE(eventually([&] { return client().post("/echo", std::string(1 << 20, 'x')).status == 200; }));
}

TEST_F(LimitsTest, HeadsHaveASizeAndANumberOfFields) {
  start();
  EXPECT_EQ(client().get("/fast", "A: " + std::string(100'000, 'x') + "\r\n").status, 431U);
  EXPECT_EQ(client().get("/" + std::string(100'000, 'x')).status, 431U);
  std::string fields;
  for (int i = 0; i < 101; ++i) fields += "A: b\r\n";
  EXPECT_EQ(client().get("/fast", fields).status, 431U);
  Client endless = client();
  endless.send("GET /fast HTTP/1.1\r\nA: ");
  for (int i = 0; i < 10'000; ++i)
    if (!endless.send(std::string(1000, 'x'))) break;
  EXPECT_EQ(endless.receive().status, 431U);
}

TEST_F(LimitsTest, AnEndlessChunkHeaderIsRefused) {
  start();
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3;");
  for (int i = 0; i < 1000; ++i)
    if (!client.send(std::string(1000, 'x'))) break;
  EXPECT_EQ(client.receive().status, 400U);
}

TEST_F(LimitsTest, SlowHeadsAndBodiesEnd) {
  config_.limits.header_time = seconds(1);
  config_.limits.body_time = seconds(1);
  start();
  Client head = client(), body = client(), trickle = client();
  head.send("GET /fast HTTP/1.1\r\n");
  body.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\na");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 40 && trickle.send("x"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3900))
      << "a byte now and then does not keep a connection";
  EXPECT_EQ(head.receive().status, 408U);
  EXPECT_EQ(body.receive().status, 408U);
}

TEST_F(LimitsTest, IdleConnectionsEnd) {
  config_.limits.header_time = seconds(1);
  config_.limits.idle_time = seconds(2);
  start();
  Client used = client(), silent = client();
  EXPECT_EQ(used.get("/fast").status, 200U);
  EXPECT_TRUE(silent.is_closed(1.8)) << "whoever never asked has less time";
  EXPECT_FALSE(used.is_closed(0.1));
  EXPECT_TRUE(used.is_closed(3));
}

TEST_F(LimitsTest, WhoeverDoesNotReadIsCutOff) {
  config_.limits.body_time = seconds(1);
  config_.limits.body_bytes = std::size_t{32} << 20;
  start();
  Client client = this->client();
  const std::string body(std::size_t{32} << 20, 'x');
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  std::this_thread::sleep_for(seconds(3));
  EXPECT_FALSE(client.receive().complete);
}

TEST_F(LimitsTest, SoManyConnectionsAndNoMore) {
  config_.limits.connections = 3;
  config_.metrics_listen = "127.0.0.1:0";
  start();
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().get("/fast").status, 200U);
  }
  Client surplus = client();
  EXPECT_EQ(surplus.receive().status, 503U);
  EXPECT_TRUE(surplus.is_closed());
  EXPECT_EQ(client(1).get("/healthz").status, 200U) << "figures remain to be seen";
  clients.pop_back();
  EXPECT_TRUE(eventually([&] { return client().get("/fast").status == 200; }));
}

TEST_F(LimitsTest, TwoThousandIdleConnectionsCostLittle) {
  allow_many_descriptors();
  start();
  const std::size_t before = resident_memory();
  std::vector<Client> clients;
  for (int i = 0; i < 2000; ++i) {
    clients.push_back(client());
    ASSERT_GE(clients.back().descriptor(), 0);
  }
  for (Client& client : clients) ASSERT_EQ(client.get("/fast").status, 200U);
  if (!testing::kSanitized) {
    EXPECT_LT(resident_memory() - before, std::size_t{2000} * 16'384);
  }
  EXPECT_EQ(client().get("/fast").status, 200U);
}

TEST_F(LimitsTest, WithoutDescriptorsItWaitsAndLives) {
  start();
  EXPECT_EQ(client().get("/fast").status, 200U);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  std::vector<int> taken;
  const int probe = ::dup(0);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(probe + 2);
  ::close(probe);
  ::setrlimit(RLIMIT_NOFILE, &tight);
  Client first = client();  // takes the descriptor that the server would need
  Client second = client();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_GE(first.descriptor(), 0);
  EXPECT_EQ(first.get("/fast").status, 200U);
  EXPECT_EQ(client().get("/fast").status, 200U);
  EXPECT_TRUE(eventually([&] { return log().find("no connection can be accepted") != std::string::npos; }));
}

}  // namespace
}  // namespace sotto::server
