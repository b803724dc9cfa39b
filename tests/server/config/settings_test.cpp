#include "config/settings.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

namespace sotto::server {
namespace {

using ::testing::HasSubstr;

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

TEST(Settings, TheEnvironmentSetsThemByName) {
  ServerConfig config;
  ASSERT_TRUE(apply_environment(config, environment({{"SOTTO_SERVE_LISTEN", "127.0.0.1:1,[::1]:2"},
                                                     {"SOTTO_SERVE_TLS_KEY", "key.pem"},
                                                     {"SOTTO_SERVE_LIMITS_BODY", "3M"},
                                                     {"SOTTO_SERVE_THREADS", ""}})));
  EXPECT_EQ(config.listen, (std::vector<std::string>{"127.0.0.1:1", "[::1]:2"}));
  EXPECT_EQ(config.tls->key, "key.pem");
  EXPECT_EQ(config.limits.body_bytes, std::size_t{3} << 20);
  EXPECT_EQ(config.threads, 0U);
}

TEST(Settings, ErrorsNameTheVariable) {
  ServerConfig config;
  const auto result = apply_environment(config, environment({{"SOTTO_SERVE_LIMITS_TEXTS", "many"}}));
  ASSERT_FALSE(result);
  EXPECT_THAT(describe(result.error()), HasSubstr("SOTTO_SERVE_LIMITS_TEXTS: 'many' is not allowed"));
}

TEST(Settings, EachHasItsOwnVariable) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : setting_names())
    EXPECT_TRUE(seen.emplace(environment_variable(name), name).second) << name;
  EXPECT_FALSE(set(*std::make_unique<ServerConfig>(), "limit.body", "1"));
}

TEST(Settings, MistypedVariablesAreNoticed) {
  EXPECT_TRUE(check_variables({"PATH", "SOTTO_MODELS", "SOTTO_SERVE_LIMITS_BODY", "SOTTO_SERVER"}));
  for (const char* wrong : {"SOTTO_SERVE_LIMITS_BODI", "SOTTO_SERVE_", "SOTTO_SERVE_limits_body"}) {
    const auto result = check_variables({"PATH", wrong});
    ASSERT_FALSE(result) << wrong;
    EXPECT_EQ(result.error().parameter, wrong);
  }
}

}  // namespace
}  // namespace sotto::server
