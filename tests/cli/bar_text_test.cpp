#include "cli/bar_text.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sotto::cli {
namespace {

const BarState kHalf{.unit = "B", .done = 5'000'000, .total = 10'000'000, .rate = 1'000'000, .seconds = 5};

TEST(BarText, ShowsAsMuchAsFits) {
  EXPECT_EQ(bar_text(kHalf, 80), "[============            ]  50%  5.0 MB of 10.0 MB  1.0 MB/s  0:05 left");
  EXPECT_EQ(bar_text(kHalf, 60), "[============            ]  50%  1.0 MB/s  0:05 left");
  EXPECT_EQ(bar_text(kHalf, 40), "[=====     ]  50%  0:05 left");
  EXPECT_EQ(bar_text(kHalf, 20), "[=====     ]  50%");
  EXPECT_EQ(bar_text(kHalf, 10), "50%");
  EXPECT_EQ(bar_text(kHalf, 3), "50");
}

TEST(BarText, NeverReachesTheLastColumn) {
  const BarState states[] = {
      kHalf,
      {.unit = "words"},
      {.unit = "", .seconds = 1e9},
      {.unit = "draws", .done = 1, .rate = 1e-300, .seconds = 1},
      {.unit = "B", .done = ~std::uint64_t{0}, .total = ~std::uint64_t{0}, .rate = 1e300, .seconds = 1e300},
      {.unit = "cells", .done = 7, .total = 5, .rate = 1},
      {.unit = "B", .done = 1, .total = ~std::uint64_t{0}, .rate = 1e-300}};
  for (const BarState& state : states)
    for (std::size_t columns = 0; columns < 200; ++columns)
      EXPECT_LT(bar_text(state, columns).size(), std::max<std::size_t>(columns, 1)) << columns;
}

TEST(BarText, ShowsTheTimeUntilMoreIsKnown) {
  EXPECT_EQ(bar_text({.unit = "", .seconds = 3}, 80), "working for 0:03");
  EXPECT_EQ(bar_text({.unit = "B", .seconds = 62}, 80), "working for 1:02");
  EXPECT_EQ(bar_text({.unit = "words", .done = 1200, .rate = 300, .seconds = 4}, 80),
            "1.2 kwords  300 words/s");
  const BarState resumed{.unit = "B", .done = 6000, .total = 10'000, .seconds = 3};
  EXPECT_EQ(bar_text(resumed, 80), "[==============          ]  60%  6.0 kB of 10.0 kB  working for 0:03");
}

}  // namespace
}  // namespace sotto::cli
