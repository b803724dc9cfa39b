#include "base/file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(AtomicFile, AppearsOnCommitAndReplaces) {
  const testing::TemporaryFolder folder;
  const auto target = folder.path() / "out";
  for (const std::string content : {"first", "second"}) {
    auto file = AtomicFile::create(target);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->write(content));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(read_file(target).value(), content);
  }
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const testing::TemporaryFolder folder;
  {
    auto file = AtomicFile::create(folder.path() / "out");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("half"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
  }
  EXPECT_EQ(entries(folder.path()), 0U);
}

TEST(AtomicFile, RefusesAFolderAndAMissingParent) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(AtomicFile::create(folder.path()));
  EXPECT_FALSE(AtomicFile::create(folder.path() / "absent" / "out"));
}

TEST(File, WriteErrorsCarryTheReason) {
  const auto full = open_for_writing("/dev/full");
  ASSERT_TRUE(full);
  const auto result = write_all(full->get(), "x", "out.txt");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot write out.txt: No space left on device");
}

TEST(File, MissingFilesAndFoldersAreNamed) {
  const testing::TemporaryFolder folder;
  const auto missing = open_for_reading(folder.path() / "absent");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_FALSE(open_for_reading(folder.path()));
}

TEST(MappedFile, GivesTheBytesAndAcceptsAnEmptyFile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "a") << "abc";
  std::ofstream(folder.path() / "empty");
  const auto mapped = MappedFile::open(folder.path() / "a");
  ASSERT_TRUE(mapped);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()),
            "abc");
  EXPECT_TRUE(MappedFile::open(folder.path() / "empty")->bytes().empty());
}

}  // namespace
}  // namespace sotto
