#include "text/output_buffer.hpp"

#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::text;

TEST(OutputBuffer, HoldsWhatAStringWould) {
  std::mt19937_64 random(3);
  OutputBuffer buffer;
  std::string expected;
  for (int round = 0; round < 20000; ++round) {
    // A string followed by its padding.
    const std::size_t size = random() % 8 == 0 ? random() % 300 : random() % 12;
    std::string piece(size + kTextPadding, '.');
    for (std::size_t i = 0; i < size; ++i) piece[i] = static_cast<char>('a' + random() % 26);
    const std::string_view text = std::string_view(piece).substr(0, size);
    switch (random() % 4) {
      case 0:
        buffer.append(text);
        break;
      case 1:
        copy_padded(buffer.reserve(size), text.data(), size);
        buffer.advance(size);
        break;
      case 2:
        for (const char c : text) buffer.push_back(c);
        break;
      default:
        std::memcpy(buffer.reserve(size), text.data(), size);
        buffer.advance(size);
    }
    expected += text;
    if (random() % 500 == 0) {
      const std::size_t cut = random() % (expected.size() + 1);
      buffer.remove_prefix(cut);
      expected.erase(0, cut);
    } else if (random() % 500 == 0) {
      const std::size_t rest = random() % (expected.size() + 1);
      buffer.truncate(rest);
      expected.resize(rest);
    }
    ASSERT_EQ(buffer.size(), expected.size());
    if (round % 50 == 0) {
      ASSERT_EQ(buffer.view(), expected);
    }
  }
  EXPECT_EQ(buffer.view(), expected);
}

TEST(OutputBuffer, MovesAndClears) {
  OutputBuffer a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.view(), "");
  a.remove_prefix(0);
  a.append("text");
  OutputBuffer b = std::move(a);
  EXPECT_EQ(b.view(), "text");
  a = OutputBuffer();
  EXPECT_TRUE(a.empty());
  a = std::move(b);
  EXPECT_EQ(a.view(), "text");
  a.clear();
  EXPECT_TRUE(a.empty());
  a.append("more");
  EXPECT_EQ(a.view(), "more");
}

}  // namespace
}  // namespace sotto
