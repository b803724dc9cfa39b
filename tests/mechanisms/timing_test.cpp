// No branch and no address depends on a word's position in a list, or on the weights of its row. Runs under
// valgrind's memcheck, which tracks undefined values and reports when control flow or an address depends on
// one: positions and weights are marked as undefined. tests/support/table_lookups.supp lists the table
// look-ups that are exempt.
#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>
#include <valgrind/memcheck.h>

#include <sotto/mechanism.hpp>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "random/bit_sources.hpp"
#include "random/weighted.hpp"
#include "support/list_set.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

/// Memory that counts as undefined during the object's lifetime.
class Secret {
 public:
  template <class T>
  explicit Secret(std::span<const T> values) : begin_(values.data()), bytes_(values.size_bytes()) {
    (void)VALGRIND_MAKE_MEM_UNDEFINED(begin_, bytes_);
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { (void)VALGRIND_MAKE_MEM_DEFINED(begin_, bytes_); }

 private:
  const void* begin_;
  std::size_t bytes_;
};

/// Marks what a mechanism's draws must not show: the positions of its words, or the weights of their rows.
class Secrets final : public RowVisitor {
 public:
  explicit Secrets(std::size_t words) : words_(words) {}

  Result<void> visit(const MetricRows&) override {
    return fail(Errc::invalid_argument, "has no rows of its own");
  }
  Result<void> visit(const PlaceRows& rows) override { return hide(rows.lists.places()); }
  Result<void> visit(const GeometricRows& rows) override { return hide(rows.lists.places()); }
  Result<void> visit(const PureRows& rows) override {
    std::vector<PureRow> all;  // all rows first, since computing a row must look at values
    for (TokenId word = 0; word < words_; ++word) all.push_back(rows.row(word));
    for (const PureRow& row : all) (void)hide(row.cumulative);
    return {};
  }

 private:
  template <class T>
  Result<void> hide(std::span<const T> values) {
    secrets_.push_back(std::make_unique<Secret>(values));
    return {};
  }

  std::size_t words_;
  std::vector<std::unique_ptr<Secret>> secrets_;
};

class Timing : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWords = 101;

  void SetUp() override {
    if (RUNNING_ON_VALGRIND == 0) GTEST_SKIP() << "valgrind runs this";
  }

  /// How often control flow or an address depended on something undefined.
  static unsigned reports(const std::function<void()>& action) {
    const auto before = VALGRIND_COUNT_ERRORS;
    action();
    return static_cast<unsigned>(VALGRIND_COUNT_ERRORS - before);
  }

  /// Draws each word often, including ⊥ and those at both ends of a list.
  static unsigned reports_of_draws(const Mechanism& mechanism, std::size_t inputs) {
    std::vector<TokenId> in;
    for (int repeat = 0; repeat < 40; ++repeat)
      for (TokenId word = 0; word < inputs; ++word) in.push_back(word);
    std::vector<TokenId> out(in.size());
    random::ChaChaBitSource bits(random::key_from_seed(1));
    Secrets secrets(inputs);
    EXPECT_TRUE(show_rows(mechanism, secrets));
    const auto pending = mechanism.make_pending();
    return reports([&] { pending->add(in, bits); });
  }

  std::shared_ptr<const Model> lists() {
    return write_list_set(folder_.path() / "lists.safetensors", letter_words(kWords),
                          {{"a", stepping_order(kWords, 1)}, {"b", stepping_order(kWords, 13)}});
  }

  std::shared_ptr<const Model> vectors() {
    VectorModel parts{.words = letter_words(kWords), .vectors = {}};
    std::mt19937 draw(3);
    for (std::uint32_t i = 0; i < kWords * 3; ++i)
      parts.vectors.push_back(static_cast<int>(draw() % 201) - 100);
    return write_vector_model(folder_.path() / "vectors.safetensors", parts);
  }

  TemporaryFolder folder_;
};

TEST_F(Timing, BranchesOnSecretsAreReported) {
  const std::vector<std::uint64_t> row = {3, 9, 12, 40, 41, 60, 77, 90};
  volatile std::ptrdiff_t found = 0;
  const Secret secret{std::span<const std::uint64_t>(row)};
  EXPECT_GE(reports([&] { found = std::upper_bound(row.begin(), row.end(), 50U) - row.begin(); }), 1U);
}

TEST_F(Timing, AddressesFromSecretsAreReported) {
  const std::vector<std::uint32_t> places = {3, 1, 2, 0};
  volatile std::uint32_t found = 0;
  const Secret secret{std::span<const std::uint32_t>(places).first(2)};
  EXPECT_GE(reports([&] { found = places[places[1]]; }), 1U);
}

TEST_F(Timing, GeometricNoiseAndItsClamp) {
  for (const double epsilon : {0.001, 0.1, 1.0, 20.0})
    for (const char* choice : {"L0", "L2"}) {
      const auto mechanism = make_mechanism("diffractor-geometric", lists(), epsilon, {{"lists", choice}});
      ASSERT_TRUE(mechanism);
      EXPECT_EQ(reports_of_draws(**mechanism, kWords + 1), 0U) << epsilon << ' ' << choice;
    }
}

TEST_F(Timing, WeightsByPlace) {
  for (const double epsilon : {0.1, 1.0, 20.0})
    for (const char* gamma : {"0", "1", "10", "1000", "auto"}) {
      const auto mechanism =
          make_mechanism("diffractor-tem", lists(), epsilon, {{"lists", "L0"}, {"gamma", gamma}});
      ASSERT_TRUE(mechanism);
      EXPECT_EQ(reports_of_draws(**mechanism, kWords + 1), 0U) << epsilon << ' ' << gamma;
    }
}

TEST_F(Timing, WeightsOfAGroup) {
  for (const char* size : {"2", "3", "20", "101"}) {
    const auto mechanism = make_mechanism("custext", vectors(), 2, {{"k", size}});
    ASSERT_TRUE(mechanism);
    EXPECT_EQ(reports_of_draws(**mechanism, kWords + 1), 0U) << size;
  }
}

TEST_F(Timing, SearchInSteps) {
  std::vector<std::uint64_t> row;
  for (std::uint64_t i = 1; i <= 65; ++i) {
    row.push_back(i * i);
    const Secret secret{std::span<const std::uint64_t>(row)};
    volatile std::size_t found = 0;
    EXPECT_EQ(reports([&] {
                for (std::uint64_t position = 0; position <= i * i; ++position)
                  found = random::find_in_steps(row, position);
              }),
              0U);
  }
}

}  // namespace
}  // namespace sotto
