#include <cmath>

#include <gtest/gtest.h>

#include <sotto/explain.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Explain : public PipelineTest {
 protected:
  Explanation about(std::string_view word, double epsilon, std::size_t top) const {
    ExplainOptions with;
    with.mechanism.epsilon = epsilon;
    with.mechanism.model = path("lists.safetensors").string();
    with.top = top;
    return explain(word, with).value();
  }
};

TEST_F(Explain, AgreesWithTheLaw) {
  const double epsilon = 1;
  const Explanation e = about("Soup", epsilon, 1'000'000);
  ASSERT_EQ(e.top.size(), words_.size());
  EXPECT_TRUE(e.in_vocabulary);
  EXPECT_EQ(e.top.front().word, "soup");
  const double q = std::exp(-epsilon);
  EXPECT_NEAR(e.stays, (1 - q) / (1 + q), 1e-12);
  double sum = 0, distinct = 0;
  for (const Outcome& outcome : e.top) {
    sum += outcome.probability;
    distinct += 1 - std::pow(1 - outcome.probability, 100);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(e.distinct_in_100, distinct, 1e-9);
  double mass = 0;
  for (std::size_t i = 0; i + 1 < e.words_for_95_percent; ++i) mass += e.top[i].probability;
  EXPECT_LT(mass, 0.95);
  EXPECT_GE(mass + e.top[e.words_for_95_percent - 1].probability, 0.95);
}

TEST_F(Explain, AnOpenMechanismGivesTheSame) {
  ExplainOptions with;
  with.mechanism = {.name = "diffractor-tem",
                    .epsilon = 0.5,
                    .parameters = {{"gamma", "3"}},
                    .model = path("lists.safetensors").string()};
  with.top = 7;
  const OpenMechanism open = open_mechanism(with.mechanism).value();
  ExplainOptions other = with;
  other.mechanism = {.name = "absent", .epsilon = 9, .model = "absent"};
  for (const char* const word : {"soup", "Waiter", "Zanzibar"})
    EXPECT_EQ(to_json(explain(word, open, other).value()), to_json(explain(word, with).value())) << word;
  EXPECT_EQ(explain("soup", open).value().top.size(), 10U) << "by default";
}

TEST_F(Explain, UnknownWordsEnterAsBottom) {
  const Explanation e = about("Zanzibar", 1, 3);
  EXPECT_FALSE(e.in_vocabulary);
  EXPECT_EQ(e.stays, 0);
  EXPECT_EQ(e.top.size(), 3U);
}

}  // namespace
}  // namespace sotto
