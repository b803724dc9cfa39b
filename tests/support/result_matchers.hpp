// Checks on Result values.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

namespace sotto::testing {

/// Fails unless `result` is an error of this kind whose message contains all of `parts`.
template <class T>
void expect_error(const Result<T>& result, Errc code, const std::vector<std::string>& parts) {
  ASSERT_FALSE(result.has_value());
  const std::string text = describe(result.error());
  EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(code)) << text;
  for (const std::string& part : parts) EXPECT_THAT(text, ::testing::HasSubstr(part));
  EXPECT_EQ(text.find('\n'), std::string::npos) << "the message has one line";
}

/// The same, and `parameter` must be at fault.
template <class T>
void expect_error(const Result<T>& result, Errc code, const std::string& parameter,
                  const std::vector<std::string>& parts) {
  expect_error(result, code, parts);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().parameter, parameter) << describe(result.error());
}

}  // namespace sotto::testing
