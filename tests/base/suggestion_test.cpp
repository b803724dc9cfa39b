#include "base/suggestion.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::base;

TEST(Suggestion, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"santext", "santext-plus",         "tem",      "cmp", "custext",
                                          "vickrey", "diffractor-geometric", "lists_of", "t"};
  struct Case {
    std::string typed, meant;
  };
  for (const Case& each : {Case{"santxt", "santext"},
                           {"Santext", "santext"},
                           {"cpm", "cmp"},
                           {"vikrey", "vickrey"},
                           {"diffractor_geometric", "diffractor-geometric"},
                           {"diffractor", "diffractor-geometric"},
                           {"list_of", "lists_of"},
                           {"tt", "t"},
                           {"epsilon", ""},
                           {"x", ""},
                           {"", ""},
                           {"completely different", ""},
                           {std::string(100'000, 'a'), ""}})
    EXPECT_EQ(closest_name(each.typed, known), each.meant) << each.typed.substr(0, 40);
  EXPECT_EQ(suggestion("cpm", known), " (did you mean 'cmp'?)");
  EXPECT_EQ(suggestion("epsilon", known), "");
  EXPECT_EQ(suggestion("cmp", {}), "");
}

}  // namespace
}  // namespace sotto
