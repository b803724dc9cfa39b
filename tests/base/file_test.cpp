#include "base/file.hpp"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compressed_input.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::base;

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

mode_t mode_of(const std::filesystem::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0);
  return status.st_mode & 07777;
}

void replace(const std::filesystem::path& target, std::string_view content) {
  auto file = AtomicFile::create(target);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->write(content));
  ASSERT_TRUE(file->commit());
}

TEST(AtomicFile, KeepsTheModeOfTheFileItReplaces) {
  const testing::TemporaryFolder folder;
  const auto target = folder.path() / "out";
  for (const mode_t mode : {0600, 0640, 0444, 0666}) {
    std::filesystem::remove(target);
    std::ofstream(target) << "older";
    ASSERT_EQ(::chmod(target.c_str(), mode), 0);
    replace(target, "newer");
    EXPECT_EQ(mode_of(target), mode);
    EXPECT_EQ(read_file(target).value(), "newer");
  }
}

TEST(AtomicFile, ANewFileHasTheUsualMode) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "other") << "x";
  replace(folder.path() / "out", "x");
  EXPECT_EQ(mode_of(folder.path() / "out"), mode_of(folder.path() / "other"));
}

// The hidden name of a file that is about to replace `target`.
std::filesystem::path hidden(const std::filesystem::path& target, int number) {
  return target.parent_path() / fmt::format(".{}.sotto-{}", target.filename().string(), number);
}

TEST(AtomicFile, FollowsNoLinkThatWaitsAtItsHiddenName) {
  const testing::TemporaryFolder folder;
  const auto target = folder.path() / "out";
  const auto victim = folder.path() / "victim";
  std::ofstream(target) << "older";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, hidden(target, 0));
  std::filesystem::create_directory(hidden(target, 1));
  replace(target, "newer");
  EXPECT_EQ(read_file(target).value(), "newer");
  EXPECT_EQ(read_file(victim).value(), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(hidden(target, 0)));
}

TEST(AtomicFile, RemovesWhatAKilledRunLeftButNotWhatALivingOneWrites) {
  const testing::TemporaryFolder folder;
  const auto target = folder.path() / "out";
  std::ofstream(target) << "older";
  std::ofstream(hidden(target, 0)) << "half of it";
  std::ofstream(hidden(target, 1)) << "being written";
  const auto living = open_for_writing(hidden(target, 1));
  ASSERT_TRUE(living && try_lock(living->get()));
  replace(target, "newer");
  EXPECT_FALSE(std::filesystem::exists(hidden(target, 0)));
  EXPECT_EQ(read_file(hidden(target, 1)).value(), "being written");
  EXPECT_EQ(read_file(target).value(), "newer");
}

TEST(AtomicFile, OfItsOwnReplacesALinkAndNotWhatItLeadsTo) {
  const testing::TemporaryFolder folder;
  const auto victim = folder.path() / "victim";
  std::ofstream(victim) << "precious";
  for (const auto& leads_to : {victim, std::filesystem::path("/dev/full")}) {
    const auto link = folder.path() / "link";
    std::filesystem::remove(link);
    std::filesystem::create_symlink(leads_to, link);
    auto file = AtomicFile::create_own(link);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->write("note"));
    ASSERT_TRUE(file->commit());
    EXPECT_FALSE(std::filesystem::is_symlink(link));
    EXPECT_EQ(read_file(link).value(), "note");
    EXPECT_EQ(read_file(victim).value(), "precious");
  }
}

TEST(OwnFile, IsARegularOneWithASingleName) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "file";
  std::ofstream(file) << "x";
  EXPECT_TRUE(open_own_file(file, O_RDWR));
  EXPECT_EQ(open_own_file(folder.path() / "absent", O_RDWR).error().code, Errc::not_found);
  std::filesystem::create_symlink(file, folder.path() / "link");
  EXPECT_FALSE(open_own_file(folder.path() / "link", O_RDWR));
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(open_own_file(folder.path() / "pipe", O_RDWR));
  std::filesystem::create_hard_link(file, folder.path() / "second name");
  EXPECT_FALSE(open_own_file(file, O_RDWR));
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

TEST(File, AClosedPipeIsToldFromOtherErrorsOnStandardOutputOnly) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const FileDescriptor pipe(ends[1]);
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  const auto output = write_standard_output(pipe.get(), "x");
  const auto file = write_all(pipe.get(), "x", "out.txt");
  std::signal(SIGPIPE, before);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::closed_pipe);
  EXPECT_EQ(output.error().message, "cannot write standard output: Broken pipe");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::io);
  const auto full = open_for_writing("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_EQ(write_standard_output(full->get(), "x").error().code, Errc::io);
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

TEST(CompressedInput, NamesWithoutTheirCompression) {
  for (const char* name : {"a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.jsonl.xz"})
    EXPECT_EQ(without_compression(name), "a.jsonl");
  EXPECT_EQ(without_compression("folder.gz/a"), "folder.gz/a");
}

}  // namespace
}  // namespace sotto
