// The tables of names agree with what reads and prints them.
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <sotto/budget.hpp>
#include <sotto/collocations.hpp>
#include <sotto/language_models.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>

namespace sotto {
namespace {

/// Every name is read as the value that is printed as it.
template <class Names, class Parse>
void expect_round_trip(const Names& names, const Parse& parse) {
  for (const std::string_view name : names) {
    const auto value = parse(name);
    ASSERT_TRUE(value) << name;
    EXPECT_EQ(to_string(*value), std::string(name));
  }
}

TEST(Names, AreReadAndPrinted) {
  expect_round_trip(kFormatNames, parse_format);
  expect_round_trip(kMissingFieldNames, parse_missing);
  expect_round_trip(kDeviceNames, parse_device);
  expect_round_trip(kPrecisionNames, parse_precision);
  expect_round_trip(std::span(kBudgetNames).first(4), parse_budget_strategy);
  expect_round_trip(kSegmentationNames,
                    [](std::string_view name) { return parse_segmentation("method", name, true); });
}

TEST(Names, OfABudgetIncludeThePapers) {
  for (const std::string_view name : kBudgetNames) EXPECT_TRUE(parse_budget_strategy(name)) << name;
}

TEST(Names, OfConnectorRulesFollowTheEnumerators) {
  EXPECT_EQ(parse_connector_rule("none"), ConnectorRule::none);
  EXPECT_EQ(parse_connector_rule("inside"), ConnectorRule::inside);
  EXPECT_EQ(parse_connector_rule("any"), ConnectorRule::any);
}

TEST(Names, OfPolicyParts) {
  Policy policy;
  const auto expect_part = [&](std::string_view part, const auto& names, const auto& member) {
    for (const std::string_view name : names) {
      ASSERT_TRUE(set_policy_part(policy, part, name)) << part << ' ' << name;
      EXPECT_EQ(to_string(policy.*member), std::string(name));
    }
  };
  expect_part("stopwords", kStopwordPolicyNames, &Policy::stopwords);
  expect_part("oov", kOovPolicyNames, &Policy::oov);
  expect_part("numbers", kNumberPolicyNames, &Policy::numbers);
  expect_part("punctuation", kPunctuationPolicyNames, &Policy::punctuation);
  expect_part("case", kCasePolicyNames, &Policy::letter_case);
  expect_part("articles", kArticlePolicyNames, &Policy::articles);
  for (const std::string_view name : kPolicyNames) EXPECT_TRUE(parse_policy(name)) << name;
}

TEST(Names, WithoutNoneStillListTheOthersInTheirOrder) {
  EXPECT_FALSE(parse_segmentation("method", "none", false));
  EXPECT_EQ(parse_segmentation("method", "x", false).error().message,
            "'x' is not allowed; give gst or mst or optimal");
  EXPECT_EQ(parse_segmentation("method", "x", true).error().message,
            "'x' is not allowed; give gst or mst or optimal or none");
}

}  // namespace
}  // namespace sotto
