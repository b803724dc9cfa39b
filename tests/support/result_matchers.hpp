// Checks on Result values.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/result.hpp>

namespace sotto::testing {

/// Fails unless `result` is an error of this kind whose message contains every one of `parts`.
template <class T>
void expect_error(const Result<T>& result, Errc code, const std::vector<std::string>& parts) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(code)) << result.error().message;
  for (const std::string& part : parts) EXPECT_THAT(result.error().message, ::testing::HasSubstr(part));
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << "the message has one line";
}

}  // namespace sotto::testing
