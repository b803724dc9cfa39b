#include "mechanisms/noise/noise.hpp"

#include <gtest/gtest.h>

#include "noise_fixture.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

const std::vector<std::string> kNames = {"cmp", "mahalanobis", "vickrey", "vickrey-k", "gumbel"};

class Noise : public NoiseTest {};

TEST_F(Noise, AVectorIsRoundedToTheGrid) {
  const auto shared = NoiseSpace::make(model_).value();
  const NoiseSpace& space = *shared;
  std::vector<double> direction = {0.6, -0.8, 0};
  std::vector<std::int32_t> out(3);
  space.noisy_vector(0, direction, 1001, out);
  EXPECT_EQ(out, (std::vector<std::int32_t>{12601, -3801, 4000}));  // 600.6 and −800.8, rounded
  std::vector<std::int16_t> mean(3);
  space.copy_vector(model_->bottom(), mean);
  const std::vector<Point> points = points_of(twelve_words());
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(mean[c] * 1e-4, points[12][c], 1e-9);
}

TEST_F(Noise, AFarVectorKeepsItsDirection) {
  const auto shared = NoiseSpace::make(model_).value();
  const NoiseSpace& space = *shared;
  const std::vector<double> unit = {2.0 / 7, -6.0 / 7, 3.0 / 7};
  for (const double length : {1e9, 2e9, 1e12, 1e18}) {
    std::vector<double> direction = unit;
    std::vector<std::int32_t> out(3);
    space.noisy_vector(3, direction, length, out);
    double product = 0;
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      product += unit[c] * out[c];
      square += static_cast<double>(out[c]) * out[c];
    }
    EXPECT_LE(std::sqrt(square), 0x1p30 + 2);
    EXPECT_GE(std::sqrt(square), std::min(length, 0x1p30) * 0.9999);
    // The word's own vector (about 24,000 steps) tilts the sum by at most 24,000/10^9.
    EXPECT_GT(product / std::sqrt(square), 1 - 1e-9) << length;
  }
}

// Documents may be cut into batches anywhere, and several may share a batch.
TEST_F(Noise, BatchesDoNotChangeTheOutput) {
  std::vector<TokenId> in(2500);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<TokenId>(i * 7 % 13);
  for (const std::string& name : kNames) {
    const auto mechanism = make(name, 2);
    std::vector<TokenId> expected(in.size());
    random::ChaChaBitSource bits(random::key_from_seed(1));
    mechanism->privatize(in, expected, bits);
    for (const std::size_t size : {1U, 7U, 1024U, 1025U}) {
      random::ChaChaBitSource first(random::key_from_seed(1)), second(random::key_from_seed(2));
      const auto pending = mechanism->make_pending();
      std::vector<TokenId> out;
      for (std::size_t begin = 0; begin < in.size(); begin += size) {
        const auto part = std::span(in).subspan(begin, std::min(size, in.size() - begin));
        std::vector<TokenId> found(part.size() + 1);
        pending->add(part, first);
        pending->add(std::vector<TokenId>{3}, second);
        pending->resolve(found);
        out.insert(out.end(), found.begin(), found.end() - 1);
      }
      EXPECT_EQ(out, expected) << name << ' ' << size;
    }
  }
}

// Outputs are words, for ⊥ and for every allowed ε; nothing falls back to the input.
TEST_F(Noise, EveryAllowedEpsilonGivesWords) {
  for (const std::string name : {"cmp", "mahalanobis", "vickrey", "vickrey-k"}) {
    for (const double epsilon : {1e-9, 1e-7, 1.0, 1e6}) {
      const Counts counts = count_outputs(*make(name, epsilon), 12, 3, 2000, 1);
      EXPECT_LT(epsilon < 1e-6 ? counts[3] : 0, 1500U) << name << ' ' << epsilon;
    }
    EXPECT_FALSE(make_mechanism(name, model_, 1e-18, {}));
    EXPECT_FALSE(make_mechanism(name, model_, std::nan(""), {}));
  }
}

TEST_F(Noise, AListSetIsRefused) {
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  for (const std::string& name : kNames)
    expect_error(
        make_mechanism(name, lists, 1, name == "vickrey-k" ? ParameterValues{{"k", "2"}} : ParameterValues{}),
        Errc::invalid_argument, "model", {"'lists' has no vectors; give a vector model"});
}

}  // namespace
}  // namespace sotto
