// Ledgers of version 1, whose entries have no MACs. data/ledger_version_1.sql was made by a program that knew
// no other version.
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "privacy/ledger_fixture.hpp"
#include "privacy/ledger_schema.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;
using namespace sotto::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHead = "a8751ddc6a2e172a405b6d0eaa2b5165bb776555adf230d5263fd94d73815e93";

class LedgerUpgrade : public LedgerTest {
 protected:
  LedgerUpgrade() { tamper(base::read_file(SOTTO_TEST_DATA "/ledger_version_1.sql").value().c_str()); }

  std::int64_t version() const {
    return Database::open(file(), Database::Access::read, 1).value().integer("PRAGMA user_version").value();
  }
};

TEST_F(LedgerUpgrade, AnOldLedgerIsReadAndCheckedAsItIs) {
  const LedgerCheck check = reader()->verify(kHead).value();
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.pinned_at, 6U);
  EXPECT_EQ(reader()->summary().value().withheld, 1U);
  std::vector<LedgerEntry> entries;
  ASSERT_TRUE(reader()->each_entry([&](const LedgerEntry& entry) -> Result<void> {
    entries.push_back(entry);
    return {};
  }));
  ASSERT_EQ(entries.size(), 6U);
  EXPECT_EQ(entries[5].tag, base::to_hex(tag_number(5)));
  EXPECT_EQ(entries[5].mac, "");
  EXPECT_EQ(version(), 1);
  tamper("DELETE FROM tags WHERE tag = (SELECT tag FROM entries WHERE entry = 3)");
  EXPECT_THAT(reader()->verify().value().problem, HasSubstr("known releases"));
}

TEST_F(LedgerUpgrade, ItsDocumentsAreChargedOnceMore) {
  const LedgerDocument old{tag_number(0), kEpsilon, mac_number(0)};
  EXPECT_THAT(charge(*store(), {{"alice", {old}}}, 100 * kEpsilon), ElementsAre(true));
  EXPECT_EQ(spent("alice"), 4 * kEpsilon);
  const auto again = store();
  EXPECT_THAT(charge(*again, {{"alice", {old}}}, 100 * kEpsilon), ElementsAre(true));
  EXPECT_EQ(spent("alice"), 4 * kEpsilon);
  EXPECT_EQ(version(), kLedgerVersion);
  const LedgerCheck check = reader()->verify(kHead).value();
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.entries, 7U);
  EXPECT_EQ(check.head, base::to_hex(again->head()));
  EXPECT_EQ(check.pinned_at, 6U);
}

TEST_F(LedgerUpgrade, OldSpendingCountsTowardsTheLimit) {
  EXPECT_THAT(charge(*store(), {{"alice", {{tag_number(0), kEpsilon}}}}, 3 * kEpsilon), ElementsAre(false));
  EXPECT_EQ(spent("alice"), 3 * kEpsilon);
}

TEST_F(LedgerUpgrade, ChangedOldEntriesStillShow) {
  charge(*store(), {{"alice", {{tag_number(0), kEpsilon}}}}, 100 * kEpsilon);
  tamper("UPDATE entries SET amount = 1 WHERE entry = 2");
  EXPECT_EQ(reader()->verify().value().bad_entry, 2U);
}

TEST_F(LedgerUpgrade, AnEntryCannotPassAsAnOldOneAmongNewOnes) {
  charge(*store(), {{"alice", {{tag_number(0), kEpsilon}, {tag_number(1), kEpsilon}}}}, 100 * kEpsilon);
  auto database = Database::open(file(), Database::Access::write, 1).value();
  const LedgerState state = read_state(database).value();
  ChainHash before;
  auto row = database.prepare("SELECT hash FROM entries WHERE entry = 7").value();
  ASSERT_TRUE(row.step().value() && row.copy(0, before));
  row.reset();
  const ChainHash forged =
      chain_next(before, {8, tag_number(1), {}, "alice", "pure epsilon", kEpsilon, 1763193600});
  ASSERT_EQ(state.entries, 8U);
  const std::string hex = base::to_hex(forged);
  ASSERT_TRUE(database.execute(fmt::format("UPDATE entries SET mac = NULL, hash = x'{}' WHERE entry = 8; "
                                           "UPDATE state SET head = x'{}'",
                                           hex, hex)
                                   .c_str()));
  const LedgerCheck check = reader()->verify().value();
  EXPECT_EQ(check.bad_entry, 8U);
  EXPECT_THAT(check.problem, HasSubstr("MAC is missing"));
}

TEST_F(LedgerUpgrade, LeadsToTheTablesOfANewLedger) {
  const auto schema = [&] {
    store();
    return Database::open(file(), Database::Access::read, 1)
        .value()
        .text(
            "SELECT group_concat(name || sql, ';') FROM (SELECT name, sql FROM sqlite_schema ORDER BY name)")
        .value();
  };
  const std::string upgraded = schema();
  EXPECT_THAT(upgraded, HasSubstr("mac"));
  std::filesystem::remove(file());
  EXPECT_EQ(schema(), upgraded);
}

// Whatever a power cut leaves of the log yields the old ledger or the new one.
TEST_F(LedgerUpgrade, HappensWholeOrNotAtAll) {
  const auto ledger = store();
  const std::string log = base::read_file(file().string() + "-wal").value();
  const std::string main = base::read_file(file()).value();
  std::map<std::int64_t, int> seen;  // versions
  for (std::size_t kept = 0;; kept = std::min(kept + 1000, log.size())) {
    const auto cut = folder_.path() / fmt::format("cut{}", kept);
    std::ofstream(cut, std::ios::binary) << main;
    std::ofstream(cut.string() + "-wal", std::ios::binary) << log.substr(0, kept);
    ++seen[Database::open(cut, Database::Access::read, 1).value().integer("PRAGMA user_version").value()];
    EXPECT_EQ(Ledger::open(cut).value()->verify(kHead).value().problem, "") << kept;
    EXPECT_EQ(LedgerStore::open(cut, 1).value()->entries(), 6U) << kept;
    if (kept == log.size()) break;
  }
  EXPECT_GT(seen[1], 3);
  EXPECT_GE(seen[kLedgerVersion], 1);
}

}  // namespace
}  // namespace sotto
