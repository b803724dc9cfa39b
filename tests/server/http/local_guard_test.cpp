#include "http/local_guard.hpp"

#include <gtest/gtest.h>

namespace sotto::server {
namespace {

RequestHead post_to(const std::string& host, const std::string& origin = "", const std::string& site = "") {
  RequestHead head;
  head.request.method = "POST";
  head.host = host;
  head.origin = origin;
  head.fetch_site = site;
  return head;
}

TEST(LocalGuard, AnswersThisMachineAndItsOwnPages) {
  for (const char* host : {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]"})
    EXPECT_FALSE(refuse_foreign(post_to(host))) << host;
  EXPECT_FALSE(refuse_foreign(post_to("localhost:8080", "http://localhost:8080", "same-origin")));
}

TEST(LocalGuard, ANameThatWasMadeToMeanThisMachineIsRefused) {
  for (const char* host :
       {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "[::2]:1"})
    EXPECT_EQ(refuse_foreign(post_to(host)).value_or(Refusal{}).status, 403U) << host;
}

TEST(LocalGuard, PagesOfOtherOriginsMayNotPost) {
  for (const char* origin : {"http://evil.example", "null", "http://localhost", "http://localhost:80801",
                             "http://localhost:8080.evil.example"})
    EXPECT_EQ(refuse_foreign(post_to("localhost:8080", origin)).value_or(Refusal{}).status, 403U) << origin;
  EXPECT_TRUE(refuse_foreign(post_to("localhost:8080", "", "cross-site")));
  EXPECT_TRUE(refuse_foreign(post_to("localhost:8080", "", "same-site"))) << "another port of this machine";
}

}  // namespace
}  // namespace sotto::server
