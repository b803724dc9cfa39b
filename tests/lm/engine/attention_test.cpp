#include "lm/engine/attention.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/every_target.hpp"

namespace sotto::lm {
namespace {

struct Shape {
  std::size_t queries, keys, heads, size;
};

class AttentionTest : public ::testing::TestWithParam<Shape> {
 protected:
  // Queries, keys and values are in one matrix, as left by a layer that computes all three at once.
  void fill(const Shape& shape) {
    width_ = shape.heads * shape.size;
    std::mt19937 engine(7);
    std::normal_distribution<float> normal;
    numbers_.resize(std::max(shape.queries, shape.keys) * 3 * width_);
    for (float& number : numbers_) number = 2 * normal(engine);
  }
  std::vector<float> attended(const Shape& shape, std::size_t first_sees = 0) const {
    std::vector<float> out(shape.queries * width_, -1);
    std::vector<float> scratch(1000, 7);  // as left by an earlier, longer task
    const std::size_t stride = 3 * width_;
    KeyValues seen(shape.heads, shape.size);
    // In two parts, so that it grows.
    const std::size_t part = shape.keys / 3;
    const float* const keys = numbers_.data() + width_;
    seen.append({keys, stride}, {keys + width_, stride}, part);
    seen.append({keys + part * stride, stride}, {keys + part * stride + width_, stride}, shape.keys - part);
    attend({{numbers_.data(), stride}, shape.queries, first_sees, 0.3F}, seen, out.data(), scratch);
    return out;
  }
  float query(std::size_t i, std::size_t c) const { return numbers_[i * 3 * width_ + c]; }
  float key(std::size_t j, std::size_t c) const { return numbers_[(3 * j + 1) * width_ + c]; }
  float value(std::size_t j, std::size_t c) const { return numbers_[(3 * j + 2) * width_ + c]; }

  std::size_t width_ = 0;
  std::vector<float> numbers_;
};

TEST_P(AttentionTest, EqualsTheDefinition) {
  const Shape& shape = GetParam();
  fill(shape);
  for (const bool causal : {false, true}) {
    if (causal && shape.queries > shape.keys) continue;
    const std::size_t first_sees = causal ? shape.keys - shape.queries + 1 : 0;
    const std::vector<float> out = attended(shape, first_sees);
    for (std::size_t i = 0; i < shape.queries; ++i) {
      for (std::size_t h = 0; h < shape.heads; ++h) {
        std::vector<double> shares;
        double total = 0;
        for (std::size_t j = 0; j < (causal ? first_sees + i : shape.keys); ++j) {
          double score = 0;
          for (std::size_t c = h * shape.size; c < (h + 1) * shape.size; ++c)
            score += static_cast<double>(query(i, c)) * key(j, c);
          shares.push_back(std::exp(0.3F * score));
          total += shares.back();
        }
        for (std::size_t c = h * shape.size; c < (h + 1) * shape.size; ++c) {
          double expected = 0;
          for (std::size_t j = 0; j < shares.size(); ++j) expected += shares[j] / total * value(j, c);
          ASSERT_NEAR(out[i * width_ + c], expected, 1e-4) << "query " << i << ", column " << c;
        }
      }
    }
  }
}

TEST_P(AttentionTest, IsTheSameOnEveryTarget) {
  fill(GetParam());
  const std::vector<float> expected = attended(GetParam());
  testing::on_every_target([&](const char* target) {
    const std::vector<float> out = attended(GetParam());
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof out[0]), 0) << target;
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionTest,
                         ::testing::Values(Shape{1, 1, 1, 1}, Shape{4, 4, 2, 8}, Shape{5, 7, 3, 5},
                                           Shape{1, 33, 2, 64}, Shape{30, 30, 12, 64}, Shape{17, 513, 1, 16},
                                           Shape{3, 16, 2, 100}));

class AttentionOfBadNumbers : public AttentionTest {};

TEST_P(AttentionOfBadNumbers, AreNotHidden) {
  const Shape& shape = GetParam();
  fill(shape);
  numbers_[(3 * (shape.keys - 1) + 1) * width_] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> out = attended(shape);
  for (std::size_t i = 0; i < shape.queries; ++i) EXPECT_TRUE(std::isnan(out[i * width_])) << i;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionOfBadNumbers,
                         ::testing::Values(Shape{1, 1, 1, 1}, Shape{5, 7, 3, 5}, Shape{4, 32, 2, 8}));

}  // namespace
}  // namespace sotto::lm
