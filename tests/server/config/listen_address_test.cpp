#include "config/listen_address.hpp"

#include <gtest/gtest.h>

namespace sotto::server {
namespace {

TEST(ListenAddress, FormsThatAreUnderstood) {
  const auto v4 = parse_listen_address("listen", "10.0.0.1:80");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "10.0.0.1");
  EXPECT_EQ(v4->port, 80);
  EXPECT_FALSE(v4->is_local());
  const auto v6 = parse_listen_address("listen", "[fe80::1]:0");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "fe80::1");
  EXPECT_FALSE(v6->is_local());
  const auto socket = parse_listen_address("listen", "unix:/run/sotto.sock");
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->path, "/run/sotto.sock");
  EXPECT_TRUE(socket->is_local());
}

TEST(ListenAddress, OnlyNamesThatMustMeanThisMachineAreLoopback) {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "[::1]"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* host : {"", "127.0.0.1.example.org", "localhost.example.org", "127.evil", "::1", "0.0.0.0",
                           "128.0.0.1", "[::2]", "2130706433", "127.1"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

}  // namespace
}  // namespace sotto::server
