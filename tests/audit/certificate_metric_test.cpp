// Certificates of santext and tem against brute force over all pairs and outputs.
#include <iostream>

#include <sotto/certificate.hpp>

#include "audit/certify/privacy_loss.hpp"
#include "audit/exhaustive.hpp"
#include "mechanisms/selection_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::audit;
using namespace sotto::testing;

/// Brute force continues in double precision once it has its enclosures.
constexpr double kDivision = 1e-15;

class MetricCertificate : public SelectionTest {
 protected:
  static std::int64_t squared_distance(const Model& model, TokenId x, TokenId other) {
    const std::vector<std::int16_t> bottom = mechanism::bottom_vector(model);
    const auto coordinate = [&](TokenId id, std::size_t c) -> std::int64_t {
      return id == model.bottom() ? bottom[c] : model.vectors16()[id * model.dimension() + c];
    };
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < model.dimension(); ++c) {
      const std::int64_t difference = coordinate(x, c) - coordinate(other, c);
      sum += difference * difference;
    }
    return sum;
  }

  static Enclosed brute_force(const Mechanism& mechanism, const Model& model, double limit) {
    std::vector<ExactRow> rows;
    for (TokenId x = 0; x <= model.size(); ++x)
      rows.push_back(exact_row(selection(mechanism).selection().weights(x)));
    return exhaustive_loss(rows, [&](std::size_t x, std::size_t other) {
      return MetricDistance{model.scale(),
                            squared_distance(model, static_cast<TokenId>(x), static_cast<TokenId>(other)),
                            limit};
    });
  }

  /// The certificate is never below brute force, and equals it up to the certificate's own slack.
  static void expect_equals_brute_force(const PrivacyLoss& found, const Enclosed& exact,
                                        const std::string& what) {
    EXPECT_GE(found.epsilon, exact.low * (1 - kDivision)) << what;
    EXPECT_GE(found.epsilon, exact.high * (1 - kDivision)) << what;
    EXPECT_LE(found.worst.per_distance.lower, exact.high * (1 + kDivision)) << what;
    // Bounds that skip outputs sum long doubles near 1, whose last place is worth 2^-63.
    EXPECT_LE(found.epsilon - found.worst.per_distance.lower, 1e-14 * found.epsilon + 0x1p-63) << what;
  }

  static PrivacyLoss certified(const Mechanism& mechanism, double limit, const SearchOptions& options = {}) {
    return find_metric_loss({selection(mechanism).selection(), limit}, options).value();
  }

  void check(const VectorModel& parts, double epsilon, const std::string& rule, const std::string& gamma) {
    const auto model = write(parts);
    const bool is_tem = !gamma.empty();
    ParameterValues parameters = {{"selection", rule}};
    if (is_tem) parameters["gamma"] = gamma;
    const auto mechanism = make(is_tem ? "tem" : "santext", model, epsilon, parameters);
    const double limit = is_tem ? std::stod(gamma) : INFINITY;
    expect_equals_brute_force(certified(*mechanism, limit), brute_force(*mechanism, *model, limit),
                              fmt::format("{} {} {} words {}", rule, epsilon, gamma, parts.words.size()));
    ++checks_;
  }

  int checks_ = 0;
};

/// "a" is one grid unit from "the", "cat" coincides with "dog", and far words are as far as the grid allows.
VectorModel nearest_possible_parts() {
  VectorModel parts = tiny_model_parts();
  for (std::size_t c = 0; c < 4; ++c) {
    parts.vectors[4 + c] = parts.vectors[c] + (c == 1 ? 1 : 0);
    parts.vectors[28 + c] = parts.vectors[24 + c];
  }
  for (std::size_t c = 36; c < 48; ++c) parts.vectors[c] *= 23;
  return parts;
}

TEST_F(MetricCertificate, EqualsBruteForceOnTwelveWords) {
  for (const VectorModel& parts : {tiny_model_parts(), near_pair_parts(), nearest_possible_parts()})
    for (const std::string rule : {"exponential", "permute-and-flip"})
      for (const double epsilon : {1e-9, 1e-3, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 1e3, 1e6})
        for (const std::string gamma : {"", "0.02", "0.5", "3"}) check(parts, epsilon, rule, gamma);
  std::cout << "    " << checks_ << " mechanisms\n";
}

TEST_F(MetricCertificate, IsBelowTheNominalEpsilonOnTwelveWords) {
  for (const VectorModel& parts : {tiny_model_parts(), near_pair_parts()}) {
    const auto model = write(parts);
    for (const std::string rule : {"exponential", "permute-and-flip"})
      for (const double epsilon : {0.5, 1.0, 5.0, 10.0}) {
        const auto mechanism = make("santext", model, epsilon, {{"selection", rule}});
        const double certificate = certified(*mechanism, INFINITY).epsilon;
        EXPECT_LE(certificate, epsilon);
        EXPECT_GE(certificate, epsilon / 2);  // one of the two directions loses at least ½ε·d
      }
  }
}

// Random models: few or many words, in one to four dimensions, with twins and words one unit apart.
TEST_F(MetricCertificate, EqualsBruteForceOnRandomModels) {
  std::mt19937_64 random(20'261'115);
  const auto uniform = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 250; ++round) {
    VectorModel parts;
    const int words = uniform(1, 18);
    const int dimension = uniform(1, 4);
    const int spread = uniform(0, 1) == 0 ? 5 : 9000;
    parts.words = letter_words(static_cast<std::size_t>(words));
    for (int i = 0; i < words * dimension; ++i) {
      const bool follows =
          i >= dimension && uniform(0, 2) == 0;  // the same coordinate as the word before, or one unit more
      parts.vectors.push_back(follows ? parts.vectors[static_cast<std::size_t>(i - dimension)] + uniform(0, 1)
                                      : uniform(-spread, spread));
    }
    parts.scale = std::pow(10.0, uniform(-4, 0));
    const double epsilon = std::pow(10.0, uniform(-30, 30) / 10.0);
    const std::string rule = round % 2 == 0 ? "exponential" : "permute-and-flip";
    const std::string gamma =
        uniform(0, 1) == 0 ? "" : fmt::format("{}", parts.scale * uniform(1, 2 * spread));
    check(parts, epsilon, rule, gamma);
  }
}

TEST_F(MetricCertificate, EqualsBruteForceOnMoreWords) {
  check(cluster_parts(60, 6, 1), 2, "exponential", "");
  check(cluster_parts(60, 6, 2), 8, "permute-and-flip", "");
}

// A mechanism that promises more than it keeps: its weights follow the full distance, the claim is truncated.
TEST_F(MetricCertificate, ShowsAFalsePromise) {
  const auto model = write(tiny_model_parts());
  for (const std::string rule : {"exponential", "permute-and-flip"}) {
    const auto mechanism = make("santext", model, 2, {{"selection", rule}});
    const PrivacyLoss found = certified(*mechanism, 0.1);
    EXPECT_GT(found.epsilon, 10);
    expect_equals_brute_force(found, brute_force(*mechanism, *model, 0.1), rule);
  }
}

/// Two pairs of words one grid unit apart, and all others as far away as the grid allows.
VectorModel far_cloud_parts(int words) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> along(20'000, 45'000);
  std::uniform_int_distribution<int> across(-3000, 3000);
  VectorModel parts;
  parts.words = letter_words(static_cast<std::size_t>(words));
  parts.scale = 1e-4;
  for (int i = 0; i < words; ++i) {
    parts.vectors.push_back(i < 4 ? -46'000 + i % 2 : along(random));
    parts.vectors.push_back(i < 4 ? i / 2 : across(random));
  }
  return parts;
}

// Two words are one unit apart and others so far that ½ε·d of these two is comparable to what rounding takes
// from a weight of 2^12: the loss is 10.3 at ε = 10 unless the weights leave room for it.
TEST_F(MetricCertificate, RoundingCostsNearPairsNothing) {
  const auto model = write(far_cloud_parts(3000));
  const auto mechanism = make("santext", model, 10);
  const PrivacyLoss found = certified(*mechanism, INFINITY);
  EXPECT_LE(found.epsilon, 10);
  std::vector<ExactRow> rows;
  for (TokenId x = 0; x < 4; ++x) rows.push_back(exact_row(selection(*mechanism).selection().weights(x)));
  const Enclosed exact = exhaustive_loss(rows, [&](std::size_t x, std::size_t other) {
    return MetricDistance{model->scale(),
                          model->squared_distance(static_cast<TokenId>(x), static_cast<TokenId>(other))};
  });
  EXPECT_GT(exact.low, 8);
  EXPECT_LE(exact.high, found.epsilon);
}

TEST_F(MetricCertificate, RefusesTooLittleMemory) {
  const auto mechanism = make("santext", write(cluster_parts(100, 4, 3)), 2);
  SearchOptions options;
  options.memory = 1000;
  const auto found = find_metric_loss({selection(*mechanism).selection(), INFINITY}, options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().parameter, "memory");
}

TEST_F(MetricCertificate, DoesNotDependOnThreads) {
  const auto model = write(cluster_parts(300, 6, 9));
  for (const std::string rule : {"exponential", "permute-and-flip"}) {
    for (const double epsilon : {3.0, 40.0}) {
      const auto mechanism = make("santext", model, epsilon, {{"selection", rule}});
      SearchOptions options;
      options.threads = 1;
      const PrivacyLoss one = certified(*mechanism, INFINITY, options);
      options.threads = 3;
      const PrivacyLoss three = certified(*mechanism, INFINITY, options);
      EXPECT_EQ(one.epsilon, three.epsilon);
      EXPECT_EQ(one.worst.input, three.worst.input);
      EXPECT_EQ(one.worst.other, three.worst.other);
      // Of 45,150 pairs, 300 of them with ⊥, few require looking at all outputs.
      EXPECT_LT(one.exact_pairs, 100U) << rule << ' ' << epsilon;
    }
  }
}

TEST_F(MetricCertificate, CountsInputsAtDistanceZero) {
  const auto mechanism = make("santext", write(near_pair_parts()), 1);
  EXPECT_EQ(certified(*mechanism, INFINITY).equal_inputs, 1U);
  const auto flat = make("tem", write(tiny_model_parts()), 1, {{"gamma", "0"}});
  const PrivacyLoss found = certified(*flat, 0);
  EXPECT_EQ(found.equal_inputs, 12U);
  EXPECT_EQ(found.epsilon, 0);
}

TEST_F(MetricCertificate, ASampleIsNeverAboveTheWhole) {
  const auto mechanism = make("santext", write(cluster_parts(100, 4, 3)), 2);
  const double whole = certified(*mechanism, INFINITY).epsilon;
  SearchOptions options;
  for (const std::uint64_t sample : {2, 3, 17, 100, 101, 5000}) {
    options.sample = sample;
    const PrivacyLoss found = certified(*mechanism, INFINITY, options);
    EXPECT_LE(found.epsilon, whole);
    EXPECT_EQ(found.inputs, std::min<std::uint64_t>(sample, 101));
  }
  EXPECT_EQ(certified(*mechanism, INFINITY, options).epsilon, whole);
}

TEST_F(MetricCertificate, CanBeInterrupted) {
  const auto mechanism = make("santext", write(cluster_parts(100, 4, 3)), 2);
  SearchOptions options;
  options.progress = [](std::uint64_t done, std::uint64_t total) { return done < total / 2; };
  const auto found = find_metric_loss({selection(*mechanism).selection(), INFINITY}, options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::interrupted);
}

}  // namespace
}  // namespace sotto
