#include "evaluate/experiment/cell_store.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;

TEST(CellStore, KeepsWhatIsSaved) {
  const testing::TemporaryFolder folder;
  const CellStore store(folder.path());
  const std::string key = cell_key({{"a", 1}});
  EXPECT_FALSE(store.load(key));
  ASSERT_TRUE(store.save(key, {{"values", {{"x", 0.1}}}}));
  EXPECT_EQ(store.load(key)->at("values").at("x").get<double>(), 0.1);
  ASSERT_TRUE(store.save(key, {{"values", {{"x", 0.2}}}}));
  EXPECT_EQ(store.load(key)->at("values").at("x").get<double>(), 0.2);
}

TEST(CellStore, ADamagedOrForeignFileCountsAsNothing) {
  const testing::TemporaryFolder folder;
  const CellStore store(folder.path());
  const std::string key = cell_key({{"a", 1}});
  const std::string other = cell_key({{"a", 2}});
  ASSERT_TRUE(store.save(key, {{"values", 1}}));
  std::filesystem::copy_file(folder.path() / (key + ".json"), folder.path() / (other + ".json"));
  EXPECT_FALSE(store.load(other)) << "another cell's content";
  std::ofstream(folder.path() / (key + ".json")) << "{\"key\": \"";
  EXPECT_FALSE(store.load(key));
}

TEST(CellStore, KeysFollowTheContentNotTheOrder) {
  EXPECT_EQ(cell_key(nlohmann::json::parse(R"({"a":1,"b":2})")),
            cell_key(nlohmann::json::parse(R"({"b":2,"a":1})")));
  EXPECT_NE(cell_key({{"a", 1}}), cell_key({{"a", 2}}));
  EXPECT_EQ(cell_key({{"a", 1}}).size(), 64U);
}

TEST(FolderLock, RefusesASecondRun) {
  const testing::TemporaryFolder folder;
  {
    const auto first = FolderLock::take(folder.path());
    ASSERT_TRUE(first);
    testing::expect_error(FolderLock::take(folder.path()), Errc::io, {"another run"});
  }
  EXPECT_TRUE(FolderLock::take(folder.path())) << "free again";
}

}  // namespace
}  // namespace sotto
