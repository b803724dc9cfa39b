// Models and helpers for the tests of selection mechanisms.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/error_text.hpp>
#include <sotto/mechanism.hpp>

#include "mechanisms/bottom_vector.hpp"
#include "mechanisms/selection/selection.hpp"
#include "random/bit_sources.hpp"
#include "support/list_set.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {

/// The twelve words of the tiny model, with two vectors 0.013 apart and two equal ones.
inline VectorModel near_pair_parts() {
  VectorModel parts = tiny_model_parts();
  parts.scale = 0.013 / 5;
  for (std::size_t c = 0; c < 4; ++c) {
    parts.vectors[4 + c] = parts.vectors[c] + (c == 1 ? 5 : 0);  // "a" next to "the"
    parts.vectors[28 + c] = parts.vectors[24 + c];               // "cat" on "dog"
  }
  return parts;
}

/// `words` random vectors in clusters; counts fall with the id.
inline VectorModel cluster_parts(std::size_t words, std::size_t dimension, std::uint64_t seed) {
  VectorModel parts;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> centre(-1000, 1000);
  std::uniform_int_distribution<int> offset(-150, 150);
  std::vector<int> centres;
  for (std::size_t i = 0; i < 8 * dimension; ++i) centres.push_back(centre(random));
  parts.words = letter_words(words);
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t cluster = random() % 8;
    for (std::size_t c = 0; c < dimension; ++c)
      parts.vectors.push_back(centres[cluster * dimension + c] + offset(random));
    parts.counts.push_back(words - i);
  }
  parts.scale = 1.0 / 512;
  return parts;
}

class SelectionTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> write(const VectorModel& parts) {
    return write_vector_model(folder_.path() / fmt::format("m{}.safetensors", models_++), parts);
  }

  static std::unique_ptr<Mechanism> make(const std::string& name, std::shared_ptr<const Model> model,
                                         double epsilon, const ParameterValues& parameters = {},
                                         std::uint64_t memory = 64 << 20) {
    return make_mechanism(name, std::move(model), epsilon, parameters, {.memory = memory, .threads = 1})
        .value();
  }

  static std::string error(const std::string& name, std::shared_ptr<const Model> model,
                           const ParameterValues& parameters) {
    const auto result = make_mechanism(name, std::move(model), 1, parameters);
    return result ? "" : describe(result.error());
  }

  /// The distance between an input (possibly ⊥) and a word, from the coordinates.
  static long double distance(const Model& model, TokenId input, TokenId word) {
    const auto coordinate = [&](TokenId id, std::size_t c) -> std::int64_t {
      if (id == model.bottom()) return mechanism::bottom_vector(model)[c];
      return model.vectors16()[id * model.dimension() + c];
    };
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < model.dimension(); ++c) {
      const std::int64_t difference = coordinate(input, c) - coordinate(word, c);
      sum += difference * difference;
    }
    return static_cast<long double>(model.scale()) * std::sqrt(static_cast<long double>(sum));
  }

  static const mechanism::SelectionMechanism& selection(const Mechanism& mechanism) {
    return dynamic_cast<const mechanism::SelectionMechanism&>(mechanism);
  }

  /// The largest ln(P(z|x)/P(z|y)) − allowed(x, y) over all inputs and outputs, from the sampled integers.
  template <class Allowed>
  static long double worst_excess(const Mechanism& mechanism, const Model& model, const Allowed& allowed) {
    std::vector<std::vector<long double>> logs;
    for (TokenId x = 0; x <= model.size(); ++x) {
      const std::vector<std::uint64_t> weights = selection(mechanism).selection().weights(x);
      long double total = 0;
      for (const std::uint64_t weight : weights) total += static_cast<long double>(weight);
      logs.emplace_back();
      for (const std::uint64_t weight : weights)
        logs.back().push_back(std::log(static_cast<long double>(weight)) - std::log(total));
    }
    long double worst = -INFINITY;
    for (TokenId x = 0; x <= model.size(); ++x)
      for (TokenId y = 0; y <= model.size(); ++y)
        for (std::size_t z = 0; z < logs[x].size(); ++z)
          worst = std::max(worst, logs[x][z] - logs[y][z] - allowed(x, y));
    return worst;
  }

  /// The least draw that falls on `position` of `total`: ⌈position·2^128/total⌉, as two words.
  static mechanism::UniformDraw draw_for(std::uint64_t position, std::uint64_t total) {
    using Wide = unsigned __int128;
    const Wide first = static_cast<Wide>(position) << 64;
    const Wide second = (first % total) << 64;
    mechanism::UniformDraw draw{static_cast<std::uint64_t>(first / total),
                                static_cast<std::uint64_t>(second / total)};
    if (second % total != 0 && ++draw.low == 0) ++draw.high;
    return draw;
  }

  /// For every input the first and last position of every output, through add() and resolve().
  static void expect_every_border(const Mechanism& mechanism, const Model& model) {
    for (TokenId x = 0; x <= model.size(); ++x) {
      const std::vector<std::uint64_t> weights = selection(mechanism).selection().weights(x);
      std::uint64_t total = 0;
      for (const std::uint64_t weight : weights) total += weight;
      std::vector<std::uint64_t> words;
      std::vector<TokenId> expected;
      std::uint64_t begin = 0;
      for (TokenId z = 0; z < weights.size(); ++z) {
        for (const std::uint64_t position : {begin, begin + weights[z] - 1}) {
          const mechanism::UniformDraw draw = draw_for(position, total);
          words.insert(words.end(), {draw.high, draw.low});
          expected.push_back(z);
        }
        begin += weights[z];
      }
      ScriptedBitSource bits(words);
      std::vector<TokenId> out(expected.size());
      mechanism.privatize(std::vector<TokenId>(expected.size(), x), out, bits);
      EXPECT_EQ(bits.words_drawn(), words.size());
      ASSERT_EQ(out, expected) << x;
    }
  }

  /// χ² of `draws` outputs for every input against its row.
  static void expect_draws_follow_rows(const Mechanism& mechanism, const Model& model, std::size_t draws) {
    for (TokenId x = 0; x <= model.size(); ++x) {
      random::ChaChaBitSource bits(random::key_from_seed(20'261'115 + x));
      std::vector<TokenId> out(draws);
      mechanism.privatize(std::vector<TokenId>(draws, x), out, bits);
      std::vector<std::uint64_t> counts(model.size());
      for (const TokenId word : out) ++counts.at(word);
      SOTTO_EXPECT_PASSES(chi_squared_test(counts, mechanism.row(x), 1e-7));
    }
  }

  TemporaryFolder folder_;
  int models_ = 0;
};

}  // namespace sotto::testing
