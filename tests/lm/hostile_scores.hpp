// Scores that an opponent chooses, for laws whose guarantee must not depend on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "lm/balanced_law.hpp"

namespace sotto::testing {

using Wide = unsigned __int128;
using Scores = std::vector<float>;

inline constexpr float kMost = std::numeric_limits<float>::max();
inline constexpr float kTiny = std::numeric_limits<float>::denorm_min();

/// A world: public numbers of a law.
struct HostileWorld {
  std::size_t size;
  double epsilon;
  double share;      // of the reach, that the total takes
  float base_width;  // ln of the largest base measure over the smallest
};

inline lm::BalancedLaw law_of(const HostileWorld& world, std::mt19937_64& engine) {
  lm::BoundedHead head;
  head.range = 10;
  head.reach = static_cast<float>(std::min(world.epsilon, 125.0));
  head.slope = static_cast<float>(4 / std::clamp(world.epsilon, 1.25, 125.0));
  head.log_total = static_cast<float>(world.share) * head.reach;
  std::vector<std::uint32_t> outcomes(world.size);
  std::iota(outcomes.begin(), outcomes.end(), 0);
  std::vector<float> base(world.size);
  for (float& b : base) b = -world.base_width * static_cast<float>(engine() >> 40) * 0x1p-24F;
  return lm::BalancedLaw::make(head, world.epsilon, std::move(outcomes), base).value();
}

/// All equal, all huge, denormal, tied at any place, spread evenly or not at all, of one outcome alone.
inline std::vector<Scores> hostile_scores(std::size_t size, std::mt19937_64& engine) {
  std::vector<Scores> all;
  for (const float equal :
       {0.0F, -0.0F, kTiny, -kTiny, 1.0F, -1e4F, 1e4F, kMost, -kMost, INFINITY, -INFINITY})
    all.emplace_back(size, equal);
  const std::pair<float, float> pairs[] = {{0, kTiny},         {-kMost, kMost},      {-INFINITY, INFINITY},
                                           {1, 1.0000001F},    {-1e4F, 1e4F},        {9999.999F, 1e4F},
                                           {-INFINITY, kTiny}, {-kMost, -9999.999F}, {0, 3},
                                           {0, 1e-3F},         {-kTiny, 0.0F},       {-1e4F, -9999.999F}};
  for (const auto& [low, high] : pairs) {
    Scores one(size, low), but_one(size, high), half(size, low);
    one[engine() % size] = high;
    but_one[engine() % size] = low;
    for (float& score : half) score = engine() % 2 == 0 ? low : high;
    all.insert(all.end(), {one, but_one, half});
  }
  // Steps of one size: some outcome is at the cut-off, or next to it, whatever it is.
  for (const float step : {kTiny, 1e-6F, 0.01F, 0.25F, 7.0F, 1e4F, kMost / 1e6F}) {
    Scores stairs(size);
    for (std::size_t i = 0; i < size; ++i) stairs[i] = step * std::floor(static_cast<float>(i) / 3);
    std::shuffle(stairs.begin(), stairs.end(), engine);
    all.push_back(stairs);
  }
  return all;
}

/// The most that e^ε times a weight can be, to compare with: e^ε in units of 2^−shift, rounded down.
struct ExpEpsilon {
  explicit ExpEpsilon(double epsilon) {
    // No total exceeds 2^61, so that any ε above 43 allows every ratio.
    const long double value = std::exp(static_cast<long double>(std::min(epsilon, 43.0)));
    int exponent = 0;
    std::frexp(value, &exponent);
    shift = 63 - exponent;
    units = static_cast<std::uint64_t>(std::ldexp(value, shift) * (1 - 0x1p-58L));
  }
  bool allows(std::uint64_t a, std::uint64_t b) const { return Wide{a} << shift <= Wide{b} * units; }
  int shift;
  std::uint64_t units;
};

}  // namespace sotto::testing
