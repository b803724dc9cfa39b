// Where a ledger is, who may read it, and what happens when its file is moved, replaced or hostile.
#include "privacy/ledger_file.hpp"

#include <fstream>
#include <random>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "privacy/ledger_fixture.hpp"
#include "privacy/ledger_lock.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;
using namespace sotto::testing;
using ::testing::ElementsAre;

class LedgerFile : public LedgerTest {
 protected:
  LedgerFile() : mask_(::umask(022)) {}
  ~LedgerFile() override { ::umask(mask_); }

  std::filesystem::path beside(const char* suffix) const { return file().string() + suffix; }

  static mode_t mode(const std::filesystem::path& path) {
    struct stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 0777;
  }

  static void charge_one(LedgerStore& ledger, std::uint64_t number) {
    EXPECT_THAT(charge(ledger, {{"alice", {{tag_number(number), 1}}}}, kEpsilon), ElementsAre(true));
  }

  /// Charging fails, and nobody is told to release anything.
  static void refuse_charge(LedgerStore& ledger, Errc code, const std::vector<std::string>& parts) {
    const std::vector<LedgerDocument> document = {{tag_number(77), 1}};
    std::vector<LedgerRequest> requests = {{"alice", "data", {}, 0, document}};
    expect_error(ledger.charge(requests, {"pure epsilon", kEpsilon, {}}), code, parts);
  }

 private:
  mode_t mask_;
};

TEST_F(LedgerFile, OnlyItsOwnerMayReadANewLedger) {
  const auto ledger = store();
  charge_one(*ledger, 1);
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) EXPECT_EQ(mode(beside(suffix)), 0600) << suffix;
}

TEST_F(LedgerFile, WhoeverSharesALedgerSharesItsLock) {
  store();
  std::filesystem::remove(beside("-lock"));
  ASSERT_EQ(::chmod(file().c_str(), 0660), 0);
  const auto ledger = store();
  charge_one(*ledger, 1);
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) EXPECT_EQ(mode(beside(suffix)), 0660) << suffix;
}

TEST_F(LedgerFile, TheLockIsThatOfTheFileWhateverItIsCalled) {
  store();
  const auto link = folder_.path() / "link";
  std::filesystem::create_directory(folder_.path() / "folder");
  std::filesystem::create_symlink(file(), link);
  const auto through_link = LedgerStore::open(link, 0.05).value();
  const auto through_dots =
      LedgerStore::open(folder_.path() / "folder" / ".." / "spent.ledger", 0.05).value();
  auto lock = LedgerLock::open(file(), 1).value();
  ASSERT_TRUE(lock.acquire());
  for (LedgerStore* ledger : {through_link.get(), through_dots.get()})
    refuse_charge(*ledger, Errc::io, {"spent.ledger is locked by another process"});
  lock.release();
  charge_one(*through_link, 1);
  EXPECT_EQ(spent("alice"), 1);
  EXPECT_FALSE(std::filesystem::exists(link.string() + "-lock"));
  EXPECT_EQ(Ledger::open(link).value()->summary().value().entries, 1U);
}

TEST_F(LedgerFile, ALockThatWasRemovedIsMadeAnew) {
  const auto ledger = store(0.05);
  std::filesystem::remove(beside("-lock"));
  const auto other = store(0.05);
  auto lock = LedgerLock::open(file(), 1).value();
  ASSERT_TRUE(lock.acquire());
  refuse_charge(*ledger, Errc::io, {"locked by another process"});
  lock.release();
  charge_one(*ledger, 1);
}

TEST_F(LedgerFile, AFileWithTwoNamesIsRefused) {
  store();
  const auto second = folder_.path() / "second";
  std::filesystem::create_hard_link(file(), second);
  for (const auto& name : {file(), second}) {
    expect_error(LedgerStore::open(name, 1), Errc::io, {name.string(), "2 names (hard links)"});
    expect_error(Ledger::open(name), Errc::io, {name.string(), "2 names (hard links)"});
  }
  std::filesystem::remove(second);
  store();
}

TEST_F(LedgerFile, WhatIsNoFileIsRefused) {
  std::filesystem::create_symlink(folder_.path() / "absent", folder_.path() / "nowhere");
  expect_error(LedgerStore::open(folder_.path() / "nowhere", 1), Errc::not_found, {"nowhere", "a link"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "absent"));
  expect_error(LedgerStore::open(folder_.path(), 1), Errc::io, {"it is a folder"});
  expect_error(LedgerStore::open("/dev/null", 1), Errc::io, {"/dev/null", "not a regular file"});
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  expect_error(LedgerStore::open(folder_.path() / "pipe", 1), Errc::io, {"not a regular file"});
  store();
  std::filesystem::remove(beside("-lock"));
  std::filesystem::create_symlink(folder_.path() / "elsewhere", beside("-lock"));
  expect_error(LedgerStore::open(file(), 1), Errc::io, {"-lock"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "elsewhere"));
}

TEST_F(LedgerFile, NothingIsChargedInAFileThatNobodyFinds) {
  const auto ledger = store();
  charge_one(*ledger, 1);
  std::filesystem::rename(file(), folder_.path() / "moved");
  refuse_charge(*ledger, Errc::io, {"was moved, replaced or removed"});
  std::ofstream(file()) << "";
  refuse_charge(*ledger, Errc::io, {"was moved, replaced or removed"});
}

TEST_F(LedgerFile, AnOlderCopyInItsPlaceIsRefused) {
  const auto ledger = store();
  for (std::uint64_t i = 0; i < 3; ++i) charge_one(*ledger, i);
  tamper(
      "DELETE FROM recent_releases WHERE tag = (SELECT tag FROM entries WHERE entry = 3);"
      "DELETE FROM entries WHERE entry = 3; UPDATE accounts SET spent = 2, documents = 2;"
      "UPDATE state SET entries = 2, recent = 2, head = (SELECT hash FROM entries WHERE entry = 2)");
  EXPECT_EQ(reader()->verify().value().problem, "");
  refuse_charge(*ledger, Errc::bad_format, {"older copy"});
}

TEST_F(LedgerFile, AnEndThatDoesNotFitIsRefused) {
  charge_one(*store(), 1);
  const std::string sound = base::read_file(file()).value();
  for (const char* change :
       {"UPDATE state SET entries = 7", "UPDATE state SET entries = 0", "UPDATE state SET entries = -1",
        "UPDATE state SET recent = -1", "UPDATE state SET head = zeroblob(32)",
        "UPDATE state SET head = zeroblob(3)", "DELETE FROM state", "DELETE FROM entries",
        "UPDATE state SET entries = 9223372036854775807"}) {
    std::ofstream(file(), std::ios::binary) << sound;
    tamper(change);
    expect_error(LedgerStore::open(file(), 1), Errc::bad_format, {"spent.ledger is damaged"});
  }
}

TEST_F(LedgerFile, AnAccountBelowZeroIsRefused) {
  charge_one(*store(), 1);
  for (const char* change : {"UPDATE accounts SET spent = -9223372036854775808",
                             "UPDATE accounts SET spent = 1, documents = -1"}) {
    tamper(change);
    refuse_charge(*store(), Errc::bad_format, {"an account is below zero"});
    EXPECT_NE(reader()->verify().value().problem, "");
  }
}

// Each of these could make a foreign file lose or hide charges.
TEST_F(LedgerFile, ForeignTablesTriggersViewsAndIndexesAreRefused) {
  charge_one(*store(), 1);
  const std::string sound = base::read_file(file()).value();
  for (const char* change :
       {"CREATE TRIGGER t AFTER INSERT ON entries BEGIN UPDATE accounts SET spent = 0; END",
        "CREATE TRIGGER t BEFORE UPDATE ON accounts BEGIN SELECT RAISE(IGNORE); END",
        "CREATE VIEW v AS SELECT 1", "CREATE TABLE t(x)", "CREATE INDEX i ON entries(tag)",
        "CREATE UNIQUE INDEX i ON recent_releases(tag)", "ANALYZE", "DROP TABLE withheld",
        "ALTER TABLE accounts RENAME COLUMN documents TO d",
        "DROP TABLE entries; CREATE VIEW entries AS SELECT 1 AS entry",
        "DROP TABLE recent_releases; CREATE TABLE recent_releases(tag BLOB, mac BLOB, CHECK(tag = mac), "
        "PRIMARY KEY(tag, mac)) STRICT, WITHOUT ROWID",
        "DROP TABLE recent_releases; CREATE TABLE recent_releases(tag BLOB, mac BLOB, PRIMARY KEY(tag)) "
        "STRICT, WITHOUT ROWID"}) {
    std::ofstream(file(), std::ios::binary) << sound;
    tamper(change);
    const std::string changed = base::read_file(file()).value();
    expect_error(LedgerStore::open(file(), 1), Errc::bad_format, {"is not a ledger", "version 3"});
    expect_error(Ledger::open(file()), Errc::bad_format, {"is not a ledger", "version 3"});
    EXPECT_EQ(base::read_file(file()).value(), changed);
  }
}

TEST_F(LedgerFile, TriggersDoNotFireOnAnyConnection) {
  store();
  tamper("CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END");
  tamper("INSERT INTO units VALUES(1, 'x')");
  const auto database = Database::open(file(), Database::Access::read, 1);
  EXPECT_EQ(
      Database::open(file(), Database::Access::read, 1).value().integer("SELECT COUNT(*) FROM units").value(),
      1);
}

// A damaged file is refused, or contains what is released; it never takes the process down.
TEST_F(LedgerFile, DamageAnywhereIsSurvived) {
  {
    const auto ledger = store();
    for (std::uint64_t i = 0; i < 200; ++i) charge_one(*ledger, i);
  }
  const std::string sound = base::read_file(file()).value();
  std::mt19937_64 draw(1);
  int refused = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = sound;
    for (std::uint64_t bytes = 1 + draw() % 20; bytes > 0; --bytes) {
      const std::size_t page = draw() % (sound.size() / 4096) * 4096;
      damaged[page + (draw() % 2 == 0 ? draw() % 100 : draw() % 4096)] = static_cast<char>(draw());
    }
    std::ofstream(file(), std::ios::binary) << damaged;
    const std::vector<LedgerDocument> document = {{tag_number(1000), 1}};
    std::vector<LedgerRequest> requests = {{"alice", "data", {}, 0, document}};
    auto ledger = LedgerStore::open(file(), 1);
    const auto answer = ledger ? (*ledger)->charge(requests, {"pure epsilon", kEpsilon, {}})
                               : Result<void>(tl::unexpected(ledger.error()));
    ledger = tl::unexpected(Error{});  // closed
    refused += !answer;
    auto reader = Ledger::open(file());
    if (answer && requests[0].settled == Settled::released) {
      ASSERT_TRUE(reader) << round;
      EXPECT_EQ(Database::open(file(), Database::Access::read, 1)
                    .value()
                    .integer("SELECT amount FROM entries WHERE entry = 201")
                    .value_or(0),
                1)
          << round;
    }
    if (!reader) continue;
    EXPECT_TRUE((*reader)->verify()) << round;
  }
  EXPECT_GT(refused, kRounds / 4);
  EXPECT_LT(refused, kRounds * 3 / 4);
}

TEST_F(LedgerFile, AClockThatGoesBackDoesNoHarm) {
  const auto ledger = store();
  for (const std::int64_t now : {1763193600L, 5L, -5L, INT64_MIN, INT64_MAX, 1763193601L}) {
    const std::vector<LedgerDocument> document = {{tag_number(static_cast<std::uint64_t>(now)), 1}};
    std::vector<LedgerRequest> requests = {{"alice", "data", {}, 0, document}};
    ASSERT_TRUE(ledger->charge(requests, {"pure epsilon", kEpsilon, std::chrono::seconds(now)}));
  }
  EXPECT_EQ(spent("alice"), 6);
  EXPECT_EQ(reader()->verify().value().problem, "");
}

}  // namespace
}  // namespace sotto
