#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lm/engine/float_kernels.hpp"

namespace sotto::lm {
namespace {

TEST(Gelu, EqualsTheDefinition) {
  std::vector<float> numbers;
  for (int i = -20'000; i <= 20'000; ++i) numbers.push_back(static_cast<float>(i) / 1000);
  for (const float x : {-1e30F, -1e4F, -100.0F, -0.0F, 1e-30F, 100.0F, 1e30F}) numbers.push_back(x);
  std::vector<float> out = numbers;
  gelu(out.data(), out.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    const double expected = 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    ASSERT_NEAR(out[i], expected, 3e-7 * std::abs(x)) << x;
  }
}

TEST(Gelu, AnyCount) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> numbers(count + 1, 1);
    gelu(numbers.data(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(numbers[i], 0.84134475, 1e-6);
    EXPECT_EQ(numbers[count], 1) << "wrote beyond " << count;
  }
}

TEST(Gelu, WhatIsNotANumberStaysSo) {
  float number = std::numeric_limits<float>::quiet_NaN();
  gelu(&number, 1);
  EXPECT_TRUE(std::isnan(number));
}

}  // namespace
}  // namespace sotto::lm
