#include <gtest/gtest.h>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>

namespace sotto {
namespace {

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
}

}  // namespace
}  // namespace sotto
