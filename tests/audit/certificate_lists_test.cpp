// Certificates of the word-list mechanisms against brute force.
#include <cmath>

#include <gtest/gtest.h>

#include "audit/certify/privacy_loss.hpp"
#include "audit/exhaustive.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "support/list_set.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::audit;
using namespace sotto::testing;

class ListCertificate : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWords = 12;

  mechanism::ListChoice choose(const std::string& lists) const {
    return mechanism::ListChoice::make(model_, lists).value();
  }

  /// Compares the certificate with brute force over the mixture of the lists.
  static void check(const mechanism::ListChoice& lists, const mechanism::IndexWeights& weights, double limit,
                    bool is_tight) {
    const PrivacyLoss found = find_place_loss({lists, weights, limit}).value();
    const Enclosed exact =
        exhaustive_loss(mixture_rows(lists, weights), [&](std::size_t x, std::size_t other) {
          std::int64_t largest = 0;
          for (std::uint32_t l = 0; l < lists.size(); ++l)
            largest = std::max(largest, std::abs(place(lists, l, x) - place(lists, l, other)));
          return MetricDistance{1, largest * largest, limit};
        });
    EXPECT_GE(found.epsilon, exact.high * (1 - 1e-15));
    EXPECT_LE(found.worst.per_distance.lower, exact.high * (1 + 1e-15));
    if (!is_tight) return;
    EXPECT_LE(found.epsilon, exact.low + (found.epsilon - found.worst.per_distance.lower) + 1e-15);
    EXPECT_NEAR(found.epsilon, exact.high, 2.5e-4 * found.epsilon);
  }

  static std::int64_t place(const mechanism::ListChoice& lists, std::uint32_t list, std::size_t word) {
    return lists.place(list, static_cast<TokenId>(word));
  }

  static std::vector<ExactRow> mixture_rows(const mechanism::ListChoice& lists,
                                            const mechanism::IndexWeights& weights) {
    std::vector<ExactRow> rows(lists.words() + 1, ExactRow(lists.words(), 0));
    for (std::size_t x = 0; x <= lists.words(); ++x) {
      for (std::uint32_t l = 0; l < lists.size(); ++l) {
        std::vector<std::uint64_t> places;
        for (std::int64_t i = 0; i < lists.words(); ++i) {
          const auto distance = static_cast<std::size_t>(std::abs(i - place(lists, l, x)));
          places.push_back(distance < weights.near.size() ? weights.near[distance] : weights.far);
        }
        const ExactRow row = exact_row(places);
        for (std::uint32_t i = 0; i < lists.words(); ++i)
          rows[x][lists.word_at(l, i)] += row[i] / mpq_class(lists.size());
      }
    }
    return rows;
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_ =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(kWords),
                     {{"a", stepping_order(kWords, 1)},
                      {"a", stepping_order(kWords, 5)},
                      {"b", stepping_order(kWords, 7)},
                      {"b", stepping_order(kWords, 11)}});
};

TEST_F(ListCertificate, IsNeverBelowBruteForceAndTightForOneList) {
  for (const std::string set : {"L0", "L1", "L2"}) {
    const mechanism::ListChoice lists = choose(set);
    for (const double epsilon : {1e-9, 1e-3, 0.1, 0.5, 1.0, 3.0, 5.0, 10.0, 40.0, 1e4}) {
      for (const double gamma : {0.5, 1.0, 2.5, 7.0, 100.0}) {
        SCOPED_TRACE(::testing::Message() << set << " epsilon " << epsilon << " gamma " << gamma);
        check(lists, mechanism::index_weights(epsilon, gamma, kWords, mechanism::weight_bits(kWords)), gamma,
              lists.size() == 1);
      }
    }
  }
}

// Tables that no mechanism should have: too steep, with a step, almost flat.
TEST_F(ListCertificate, ShowsWrongTables) {
  const mechanism::ListChoice one = choose("L2");
  const std::uint64_t big = std::uint64_t{1} << 50;
  const mechanism::IndexWeights steep{{big, big >> 20}, 4096};
  EXPECT_GT(find_place_loss({one, steep, 10}).value().epsilon, 20 * std::log(2.0));
  for (const mechanism::IndexWeights& weights :
       {steep, mechanism::IndexWeights{{big, big - 1, big >> 30}, 5000},
        mechanism::IndexWeights{{4100, 4099, 4098}, 4097}}) {
    const PrivacyLoss found = find_place_loss({one, weights, 10}).value();
    const Enclosed exact = exhaustive_loss(mixture_rows(one, weights), [&](std::size_t x, std::size_t other) {
      const std::int64_t apart = place(one, 0, x) - place(one, 0, other);
      return MetricDistance{1, apart * apart, 10};
    });
    EXPECT_GE(found.epsilon, exact.high * (1 - 1e-15));
    EXPECT_LE(found.worst.per_distance.lower, exact.high * (1 + 1e-15));
  }
}

TEST_F(ListCertificate, NothingToTellApart) {
  const mechanism::ListChoice one = choose("L2");
  const PrivacyLoss flat =
      find_place_loss({one, mechanism::index_weights(1, 0, kWords, mechanism::weight_bits(kWords)), 0})
          .value();
  EXPECT_EQ(flat.epsilon, 0);
  const auto single = write_list_set(folder_.path() / "one.safetensors", {"word"}, {{"a", {0}}});
  const mechanism::ListChoice word = mechanism::ListChoice::make(single, "L2").value();
  EXPECT_EQ(find_place_loss({word, mechanism::index_weights(1, 3, 1, mechanism::weight_bits(1)), 3})
                .value()
                .epsilon,
            0);
  EXPECT_EQ(find_geometric_loss({word, 1}).value().epsilon, 0);
}

/// P(output | place) of the clamped geometric law, summed from its definition far beyond the list.
long double clamped(double epsilon, std::int64_t last, std::int64_t output, std::int64_t place) {
  const long double q = std::exp(static_cast<long double>(-epsilon));
  long double sum = 0;
  for (std::int64_t noise = -700; noise <= 700; ++noise)
    if (std::clamp<std::int64_t>(place + noise, 0, last) == output)
      sum += (1 - q) / (1 + q) * std::pow(q, static_cast<long double>(std::abs(noise)));
  return sum;
}

TEST_F(ListCertificate, GeometricNoiseAttainsItsEpsilon) {
  for (const std::string set : {"L0", "L2"}) {
    const mechanism::ListChoice lists = choose(set);
    for (const double epsilon : {0.05, 1.0, 7.0}) {
      const PrivacyLoss found = find_geometric_loss({lists, epsilon}).value();
      EXPECT_EQ(found.epsilon, epsilon);
      long double worst = 0;
      for (TokenId x = 0; x <= kWords; ++x)
        for (TokenId other = 0; other <= kWords; ++other)
          for (TokenId y = 0; y < kWords; ++y) {
            long double here = 0;
            long double there = 0;
            std::int64_t apart = 0;
            for (std::uint32_t l = 0; l < lists.size(); ++l) {
              here += clamped(epsilon, kWords - 1, place(lists, l, y), place(lists, l, x));
              there += clamped(epsilon, kWords - 1, place(lists, l, y), place(lists, l, other));
              apart = std::max(apart, std::abs(place(lists, l, x) - place(lists, l, other)));
            }
            if (apart > 0) worst = std::max(worst, std::log(here / there) / static_cast<long double>(apart));
          }
      EXPECT_LE(worst, found.epsilon * (1 + 1e-12L)) << set;
      EXPECT_LE(found.worst.per_distance.lower, static_cast<double>(worst) * (1 + 1e-12)) << set;
      if (lists.size() == 1) {
        EXPECT_NEAR(static_cast<double>(worst), epsilon, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace sotto
