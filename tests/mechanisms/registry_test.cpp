#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>

#include "mechanisms/every_mechanism.hpp"
#include "mechanisms/mechanism_family.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;

TEST(Registry, EveryMechanismIsDescribed) {
  EXPECT_FALSE(mechanisms().empty());
  for (const MechanismInfo& info : mechanisms()) {
    EXPECT_EQ(find_mechanism(info.name).value()->name, info.name);
    for (const std::string& text : {info.summary, info.metric, info.guarantee, info.speed, info.use_when})
      EXPECT_FALSE(text.empty()) << info.name;
    // Mechanisms for whole texts may have no shipped model; those for words always have one.
    EXPECT_TRUE(!info.default_model.empty() || rewrites_whole_texts(info.name)) << info.name;
    const ParameterValues defaults = complete_parameters(info, {}).value();
    EXPECT_EQ(defaults.size(), info.parameters.size());
  }
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  const auto result = find_mechanism("laplace");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::invalid_argument);
  EXPECT_NE(result.error().message.find("'laplace'"), std::string::npos);
  EXPECT_NE(result.error().message.find("diffractor-geometric"), std::string::npos);
  EXPECT_FALSE(rewrites_whole_texts("laplace"));
}

TEST(Registry, EveryMechanismStatesItsKind) {
  const std::map<std::string, MechanismKind> with_language_model = {
      {"dp-mlm", MechanismKind::masked},
      {"dp-mlm-plus", MechanismKind::masked},
      {"dp-paraphrase", MechanismKind::generated},
      {"dp-prompt", MechanismKind::generated}};
  std::size_t found = 0;
  for (const MechanismInfo& info : mechanisms()) {
    const auto other = with_language_model.find(info.name);
    found += other != with_language_model.end();
    EXPECT_EQ(info.kind, other == with_language_model.end() ? MechanismKind::word_by_word : other->second)
        << info.name;
    EXPECT_EQ(rewrites_whole_texts(info.name), info.kind != MechanismKind::word_by_word) << info.name;
  }
  EXPECT_EQ(found, with_language_model.size());
}

using RegistryKinds = testing::EveryMechanismTest;

TEST_F(RegistryKinds, OnlyWordByWordMechanismsAreMechanismsOfWords) {
  for (const MechanismInfo& info : mechanisms()) {
    const auto found = find_word_mechanism(info.name);
    const auto made = make_mechanism(info.name, model_for(info.name), 2, parameters_for(info.name));
    const auto family = prepare_mechanism(info.name, model_for(info.name), parameters_for(info.name));
    if (info.kind == MechanismKind::word_by_word) {
      EXPECT_TRUE(found) << info.name;
      EXPECT_TRUE(made) << info.name;
      EXPECT_TRUE(family) << info.name;
      continue;
    }
    const std::vector<std::string> refusal = {
        fmt::format("'{}' rewrites whole texts and says nothing about single words; use it with", info.name)};
    testing::expect_error(found, Errc::invalid_argument, "mechanism", refusal);
    testing::expect_error(made, Errc::invalid_argument, "mechanism", refusal);
    testing::expect_error(family, Errc::invalid_argument, "mechanism", refusal);
  }
}

}  // namespace
}  // namespace sotto
