// Where plugins may be loaded from.
#include "base/plugin.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::base;

constexpr Plugin kPlugin = {.file = "libsotto_planted.so", .purpose = "tests", .remedy = "nothing"};

/// A current folder in which somebody has put files with the plugin's name.
class PlantedPlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {".", "sotto", "lib/sotto"}) {
      std::filesystem::create_directories(planted_.path() / folder);
      std::ofstream(planted_.path() / folder / kPlugin.file) << "not a library";
    }
    std::filesystem::current_path(planted_.path());
  }
  void TearDown() override {
    ::unsetenv("SOTTO_PLUGINS");
    std::filesystem::current_path(before_);
  }

 private:
  const TemporaryFolder planted_;
  const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(PlantedPlugin, IsNotLookedForInTheCurrentFolder) {
  for (const char* chosen : {"", static_cast<const char*>(nullptr)}) {
    if (chosen != nullptr) ::setenv("SOTTO_PLUGINS", chosen, 1);
    expect_error(load_plugin_function(kPlugin, "any"), Errc::not_found,
                 {"need the plugin libsotto_planted.so, which is not in /"});
    ::unsetenv("SOTTO_PLUGINS");
  }
}

TEST_F(PlantedPlugin, RelativeFolderIsRefused) {
  for (const char* chosen : {".", "sotto", "lib/sotto", "./sotto", "../", "~"}) {
    ::setenv("SOTTO_PLUGINS", chosen, 1);
    expect_error(load_plugin_function(kPlugin, "any"), Errc::invalid_argument,
                 {"SOTTO_PLUGINS", chosen, "begins with /"});
  }
}

}  // namespace
}  // namespace sotto::testing
