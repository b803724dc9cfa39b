#include "mechanisms/mechanism_bank.hpp"

#include <thread>

#include <gtest/gtest.h>

#include <sotto/language_models.hpp>

#include "mechanisms/every_mechanism.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

class MechanismBankTest : public EveryMechanismTest {
 protected:
  MechanismBank bank(const std::string& mechanism, std::uint64_t memory = 64 << 20) const {
    return {prepare_mechanism(mechanism, model_for(mechanism), parameters_for(mechanism),
                              {.memory = memory, .threads = 1})
                .value(),
            memory};
  }

  /// What every input, including ⊥, becomes with bits from `seed`, eight times.
  static std::vector<TokenId> outputs(const Mechanism& mechanism, const Model& model, std::uint64_t seed) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < 8; ++i)
      for (TokenId id = 0; id <= model.size(); ++id) tokens.push_back(id);
    random::ChaChaBitSource bits(random::key_from_seed(seed));
    mechanism.privatize(tokens, tokens, bits);
    return tokens;
  }
};

TEST_F(MechanismBankTest, EqualsMechanismsThatAreMadeOneByOne) {
  // Memory for everything, and memory for a single mechanism and next to no rows.
  for (const MechanismInfo& info : mechanisms()) {
    if (rewrites_whole_texts(info.name)) continue;
    const std::uint64_t least = info.name == "custext" ? 10'500 : 100;
    for (const std::uint64_t memory : {std::uint64_t{64} << 20, least}) {
      MechanismBank many = bank(info.name, memory);
      for (const double epsilon : {2.0, 0.3, 7.5, 2.0, 1.0 / 3, 0.3, 40.0, 2.0}) {
        const auto alone = make_mechanism(info.name, model_for(info.name), epsilon, parameters_for(info.name),
                                          {.memory = 1 << 20, .threads = 1});
        const auto found = many.at(epsilon);
        ASSERT_EQ(found.has_value(), alone.has_value()) << info.name << " " << epsilon;
        if (!alone) {
          EXPECT_EQ(describe(found.error()), describe(alone.error()));
          continue;
        }
        const Mechanism* const single = alone->get();
        const Mechanism* const shared = found->get();
        const Model& model = *model_for(info.name);
        EXPECT_EQ(outputs(*shared, model, 9), outputs(*single, model, 9)) << info.name << " " << epsilon;
        EXPECT_EQ(shared->row(3), single->row(3)) << info.name;
        EXPECT_EQ(shared->guarantee().statement, single->guarantee().statement);
        EXPECT_EQ(shared->guarantee().epsilon, epsilon);
        EXPECT_EQ(shared->distance(1, 5), single->distance(1, 5));
        EXPECT_EQ(shared->data_digest(), single->data_digest());
        EXPECT_EQ(shared->good_batch(), single->good_batch());
      }
    }
  }
}

TEST_F(MechanismBankTest, KeepsTheOneUsedLast) {
  MechanismBank small(prepare_mechanism("custext", vectors_, {}).value(), 1);
  EXPECT_EQ(small.most_at_once(), 1U);
  const auto first = small.at(1).value();
  EXPECT_EQ(small.at(1).value(), first);
  const auto before = outputs(*first, *vectors_, 1);
  EXPECT_NE(small.at(2).value(), first);
  EXPECT_EQ(outputs(*first, *vectors_, 1), before);  // in use, so it lives on
  const std::weak_ptr<const Mechanism> second = small.at(2).value();
  EXPECT_FALSE(second.expired());
  EXPECT_NE(small.at(1).value(), first);
  EXPECT_TRUE(second.expired());
}

TEST_F(MechanismBankTest, RefusesWhatTheMechanismRefuses) {
  MechanismBank any = bank("cmp");
  for (const double epsilon : {0.0, -1.0, 1e-10, 1e7, std::nan("")})
    expect_error(any.at(epsilon), Errc::invalid_argument, {"is not allowed"});
  MechanismBank gumbel(prepare_mechanism("gumbel", vectors_, {{"calibration", "theorem"}}).value(), 1 << 20);
  expect_error(gumbel.at(0.1), Errc::invalid_argument, {"calibration=theorem", "give at least"});
  EXPECT_TRUE(gumbel.at(1000));
  expect_error(prepare_mechanism("santext", vectors_, {{"selection", "best"}}), Errc::invalid_argument,
               "parameters.selection", {"best"});
}

TEST_F(MechanismBankTest, ThreadsMayShareIt) {
  for (const std::string name : {"santext", "custext", "gumbel", "cmp"}) {
    MechanismBank many = bank(name, 200'000);
    const auto expected = outputs(*many.at(0.7).value(), *vectors_, 3);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (const double epsilon : {5.0, 0.7, 0.1, 3.0, 0.7})
          if (epsilon == 0.7)
            EXPECT_EQ(outputs(*many.at(epsilon).value(), *vectors_, 3), expected);
          else
            outputs(*many.at(epsilon).value(), *vectors_, 3);
      });
  }
}

}  // namespace
}  // namespace sotto
