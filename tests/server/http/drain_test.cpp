// How the server ends.
#include <thread>

#include <gtest/gtest.h>

#include "server/http/http_world.hpp"

namespace sotto::server {
namespace {

class DrainTest : public HttpWorld {};

TEST_F(DrainTest, WhatIsUnderWayIsAnsweredAndNothingNewIsTaken) {
  start();
  Client busy = client(), idle = client();
  EXPECT_EQ(idle.get("/fast").status, 200U);
  busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return service_.waiting() == 1; }));
  bool in_time = false;
  std::thread stopping([&] { in_time = server_->stop(); });
  EXPECT_TRUE(eventually([&] { return service_.drained(); }));
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(eventually([&] { return client().descriptor() < 0; }));
  service_.release();
  const Answer answer = busy.receive();
  EXPECT_EQ(answer.body, "late");
  EXPECT_EQ(answer.header("connection"), "close");
  stopping.join();
  EXPECT_TRUE(in_time);
}

TEST_F(DrainTest, WhoeverDoesNotEndIsCutOff) {
  config_.limits.drain_time = std::chrono::seconds(1);
  start();
  Client half = client(), stream = client();
  half.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\na");
  stream.send("POST /lines HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(server_->stop());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(half.is_closed());
  EXPECT_FALSE(stream.receive().complete);
}

TEST_F(DrainTest, AServerThatIsDestroyedLeavesNothingBehind) {
  start();
  Client open = client();
  EXPECT_EQ(open.get("/fast").status, 200U);
  server_.reset();
  EXPECT_TRUE(open.is_closed());
}

TEST_F(DrainTest, ReadinessIsToldWhileItEnds) {
  config_.metrics_listen = "127.0.0.1:0";
  start();
  Client busy = client();
  busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return service_.waiting() == 1; }));
  std::thread stopping([&] { server_->stop(); });
  EXPECT_TRUE(eventually([&] { return service_.drained(); }));
  EXPECT_EQ(client(1).get("/healthz").status, 200U);
  service_.release();
  EXPECT_EQ(busy.receive().status, 200U);
  stopping.join();
}

}  // namespace
}  // namespace sotto::server
