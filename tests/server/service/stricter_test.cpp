// What a request may ask for instead of its profile's policy reveals no more of the text.
#include "service/stricter.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include <sotto/document_guarantee.hpp>

namespace sotto::server {
namespace {

struct Part {
  std::string_view name;
  std::vector<std::string_view> values;
};

template <class Names>
Part part(std::string_view name, const Names& names) {
  return {name, {names.begin(), names.end()}};
}

std::vector<Part> parts() {
  return {part("stopwords", kStopwordPolicyNames), part("oov", kOovPolicyNames),
          part("numbers", kNumberPolicyNames),     part("punctuation", kPunctuationPolicyNames),
          part("case", kCasePolicyNames),          part("articles", kArticlePolicyNames)};
}

/// What two texts must share under a policy that is strict but for this part.
std::vector<SharedTrait> shared_under(std::string_view part, std::string_view value) {
  TextRules rules;
  EXPECT_TRUE(set_policy_part(rules.policy, part, value));
  Guarantee token;
  token.kind = GuaranteeKind::analytic;
  return guarantee_for_texts(token, rules).adjacency;
}

TEST(Stricter, NoStepAddsToWhatTextsMustShare) {
  for (const Part& part : parts())
    for (const std::string_view from : part.values)
      for (const std::string_view to : part.values) {
        if (!is_as_strict(part.name, from, to)) continue;
        const auto before = shared_under(part.name, from);
        for (const SharedTrait trait : shared_under(part.name, to))
          EXPECT_NE(std::find(before.begin(), before.end(), trait), before.end())
              << part.name << ": " << from << " to " << to << " shows " << to_string(trait);
      }
}

TEST(Stricter, NothingMayBeKeptThatWasNot) {
  for (const Part& part : parts()) {
    if (part.name == "articles") continue;  // those of the output
    for (const std::string_view from : part.values)
      EXPECT_EQ(is_as_strict(part.name, from, "keep"), from == "keep") << part.name << ": " << from;
  }
}

TEST(Stricter, WhatIsNotComparableIsRefused) {
  EXPECT_FALSE(is_as_strict("oov", "nearest", "bottom"));
  EXPECT_FALSE(is_as_strict("oov", "bottom", "nearest"));
  EXPECT_FALSE(is_as_strict("oov", "keep", "drop"));
  EXPECT_FALSE(is_as_strict("numbers", "random", "drop"));
  EXPECT_FALSE(is_as_strict("numbers", "drop", "random"));
  EXPECT_FALSE(is_as_strict("stopwords", "privatize", "keep"));
  EXPECT_FALSE(is_as_strict("none", "a", "b"));
}

TEST(Stricter, ThePolicyIsChangedInOnePart) {
  const auto changed = with_stricter_part(Policy::paper(), "numbers", "drop");
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->numbers, NumberPolicy::drop);
  EXPECT_EQ(changed->stopwords, StopwordPolicy::keep);
  EXPECT_FALSE(with_stricter_part(Policy::strict(), "numbers", "keep"));
  EXPECT_FALSE(with_stricter_part(Policy::strict(), "numbers", "none"));
}

}  // namespace
}  // namespace sotto::server
