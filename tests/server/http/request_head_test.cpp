#include "http/request_head.hpp"

#include <gtest/gtest.h>

namespace sotto::server {
namespace {

TEST(HeadScanner, FindsTheEndHoweverTheBytesArrive) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string received = head + "GET /next";
  for (std::size_t cut = 0; cut <= head.size(); ++cut) {
    HeadScanner scanner;
    const auto first = scanner.scan(received.substr(0, cut));
    EXPECT_EQ(first == HeadScanner::State::complete, cut == head.size());
    if (first == HeadScanner::State::incomplete) {
      EXPECT_EQ(scanner.scan(received), HeadScanner::State::complete) << cut;
    }
    EXPECT_EQ(scanner.size(), head.size());
  }
}

TEST(HeadScanner, RefusesWhatParsersDisagreeOn) {
  for (const std::string& bad :
       {std::string("GET / HTTP/1.1\nHost: a\n\n"), std::string("GET / HTTP/1.1\r\nHost: a\n\r\n"),
        std::string("GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n"), std::string("\r\n\r\n"), std::string("\n"),
        std::string("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 26),
        std::string("GET / HTTP/1.1\r\nA: \x1b\r\n\r\n"), std::string("GET / HTTP/1.1\r\nA: \x7f\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\r\n\r\n")}) {
    HeadScanner scanner;
    EXPECT_EQ(scanner.scan(bad), HeadScanner::State::malformed) << bad;
  }
}

TEST(RequestId, IsTheClientsOnlyIfNothingPersonalFits) {
  for (const char* good :
       {"0af7651916cd43dd8448eb211c80319c", "F47AC10B-58CC-4372-A567-0E02B2C3D479", "00000000"})
    EXPECT_EQ(request_id(good), good);
  for (const std::string bad :
       {"", "1234567", "john.smith@example.org", "0af76519 16cd43dd", "0af7651916cd43dg"}) {
    EXPECT_NE(request_id(bad), bad);
    EXPECT_EQ(request_id(bad).size(), 32U);
  }
  EXPECT_NE(request_id(std::string(65, 'a')), std::string(65, 'a'));
  EXPECT_NE(request_id(""), request_id(""));
}

TEST(Traceparent, HasOneForm) {
  EXPECT_TRUE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  for (const char* bad : {"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                          "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                          "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                          "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                          "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
                          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"})
    EXPECT_FALSE(is_traceparent(bad)) << bad;
}

}  // namespace
}  // namespace sotto::server
