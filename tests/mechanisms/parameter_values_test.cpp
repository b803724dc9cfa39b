// One value, one spelling: for every parameter of every mechanism.
#include "mechanisms/parameter_values.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/mechanism.hpp>

namespace sotto {
namespace {

using namespace sotto::mechanism;

/// Spellings of the same double, by the canonical one.
const std::map<std::string, std::vector<std::string>> kSpellings = {
    {"20", {"20", "020", "2e1", "20.0", "20.", "2.0E1", "0.2e2", "200e-1", "00020.000"}},
    {"0.5", {"0.5", ".5", "0.50", "5e-1", "00.5", "0.5000000000000000000001"}},
    {"0", {"0", "-0", "0.0", "00", "-0.0", "0e5"}},
    {"0.001", {"0.001", "1e-3", ".001", "1e-03"}},
    {"1e-09", {"1e-9", "1e-09", "0.000000001"}},
    {"100000", {"100000", "1e5", "1E+5"}},
    {"1e+17", {"1e17", "100000000000000000", "1e+17"}},
    {"-2", {"-2", "-2.0"}},
};

/// Not numbers: they are left alone, and refused by whoever reads them.
const std::vector<std::string> kNoNumbers = {"",    "auto", "+5",    " 5",  "5 ",      "0x10", "nan",
                                             "inf", "-inf", "1e400", "1,,", "5\u00A0", "True", "L0"};

bool is_numeric(const ParameterInfo& parameter) {
  return canonical_value(parameter, "020") == "20";
}

TEST(ParameterValues, NumbersOfEveryMechanismHaveOneSpelling) {
  std::size_t checked = 0;
  for (const MechanismInfo& info : mechanisms()) {
    for (const ParameterInfo& parameter : info.parameters) {
      if (!is_numeric(parameter)) continue;
      std::set<std::string> different;
      for (const auto& [kept, spellings] : kSpellings) {
        for (const std::string& spelling : spellings) {
          const auto complete = complete_parameters(info, {{parameter.name, spelling}});
          ASSERT_TRUE(complete);
          EXPECT_EQ(complete->at(parameter.name), kept) << info.name << ' ' << spelling;
          different.insert(complete->at(parameter.name));
          // Canonical values are fixed points.
          EXPECT_EQ(complete_parameters(info, *complete).value(), *complete) << info.name;
          ++checked;
        }
      }
      EXPECT_EQ(different.size(), kSpellings.size()) << info.name << ' ' << parameter.name;
      for (const std::string& text : kNoNumbers)
        EXPECT_EQ(complete_parameters(info, {{parameter.name, text}}).value().at(parameter.name), text);
    }
  }
  EXPECT_GE(checked, 12 * 33U);
}

// A folder may be called 020.
TEST(ParameterValues, WordsAreTakenLetterByLetter) {
  std::size_t words = 0;
  for (const MechanismInfo& info : mechanisms()) {
    for (const ParameterInfo& parameter : info.parameters) {
      if (is_numeric(parameter)) continue;
      ++words;
      for (const std::string value : {"020", "2e1", "1.0", " x ", "L0", "l0", "TRUE"})
        EXPECT_EQ(complete_parameters(info, {{parameter.name, value}}).value().at(parameter.name), value);
    }
  }
  EXPECT_GT(words, 5U);
}

// Whoever adds a parameter whose default is a word must say if it takes numbers too.
TEST(ParameterValues, WhoeverSpeaksOfNumbersTakesThem) {
  for (const MechanismInfo& info : mechanisms())
    for (const ParameterInfo& parameter : info.parameters)
      EXPECT_TRUE(parameter.description.find("number") == std::string::npos || is_numeric(parameter))
          << info.name << ' ' << parameter.name;
}

TEST(ParameterValues, ListsOfNumbersHaveOneSpelling) {
  const MechanismInfo& info = *find_mechanism("vickrey-k").value();
  const auto t = [&](const std::string& k, const std::string& value) {
    return complete_parameters(info, {{"k", k}, {"t", value}}).value().at("t");
  };
  EXPECT_EQ(t("3", "1.0,2e0,03"), "1,2,3");
  EXPECT_EQ(t("3", "1,2,x"), "1,2,x");
  EXPECT_EQ(t("3", "1,2,"), "1,2,");
  EXPECT_EQ(t("3", "1,1.0,1e0"), "1") << "one number stands for all ranks";
  EXPECT_EQ(t("03", "1,1,1"), "1");
  EXPECT_EQ(t("2", "1,1,1"), "1,1,1") << "which is refused, and not by accident allowed";
}

}  // namespace
}  // namespace sotto
