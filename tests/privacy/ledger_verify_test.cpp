#include <fstream>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "privacy/ledger_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using ::testing::HasSubstr;

class LedgerVerify : public LedgerTest {
 protected:
  LedgerVerify() {
    const auto ledger = store();
    for (std::uint64_t i = 0; i < 20; ++i) {
      charge(*ledger, {{i % 2 == 0 ? "alice" : "bob", {{tag_number(i), kEpsilon}}}}, 100 * kEpsilon);
      heads_.push_back(base::to_hex(ledger->head()));
    }
  }

  /// What verify says after a change behind the ledger's back.
  LedgerCheck after(const char* sql, std::string_view head = {}) const {
    tamper(sql);
    return reader()->verify(head).value();
  }

  std::vector<std::string> heads_;  // after each entry
};

TEST_F(LedgerVerify, ASoundLedger) {
  const LedgerCheck check = reader()->verify().value();
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.entries, 20U);
  EXPECT_EQ(check.head, heads_.back());
  EXPECT_FALSE(check.pinned_at);
}

TEST_F(LedgerVerify, APinnedHeadIsFound) {
  EXPECT_EQ(reader()->verify(heads_[6]).value().pinned_at, 7U);
  const LedgerCheck check = reader()->verify(std::string(64, 'a')).value();
  EXPECT_THAT(check.problem, HasSubstr("not in the chain"));
  expect_error(reader()->verify("xyz"), Errc::invalid_argument, "head", {"'xyz'", "64 hexadecimal digits"});
}

TEST_F(LedgerVerify, AChangedEntryIsNamed) {
  for (const char* change : {"amount = 1", "tag = zeroblob(16)", "mac = x'00112233445566778899aabbccddeeff'",
                             "mac = NULL", "mac = x''", "time = 7", "account = 2"}) {
    const std::string sql = fmt::format("UPDATE entries SET {} WHERE entry = 9", change);
    const LedgerCheck check = after(sql.c_str());
    EXPECT_EQ(check.bad_entry, 9U) << change;
    EXPECT_THAT(check.problem, HasSubstr("entry 9"));
    EXPECT_EQ(check.entries, 8U);
    EXPECT_EQ(check.head, heads_[7]);
  }
}

TEST_F(LedgerVerify, ARemovedEntryIsNamed) {
  const LedgerCheck check = after("DELETE FROM entries WHERE entry = 5");
  EXPECT_EQ(check.bad_entry, 5U);
  EXPECT_THAT(check.problem, HasSubstr("entry 5: missing"));
}

TEST_F(LedgerVerify, RemovedLastEntriesShow) {
  EXPECT_THAT(after("DELETE FROM entries WHERE entry > 15").problem, HasSubstr("15 entries where 20"));
}

TEST_F(LedgerVerify, AnotherNameForASubjectOrAUnitShows) {
  EXPECT_EQ(after("UPDATE accounts SET subject = 'carol' WHERE subject = 'bob'").bad_entry, 2U);
}

TEST_F(LedgerVerify, AnotherUnitShows) {
  EXPECT_EQ(after("UPDATE units SET name = 'epsilon times nothing'").bad_entry, 1U);
}

TEST_F(LedgerVerify, AChangedAccountShows) {
  EXPECT_THAT(after("UPDATE accounts SET spent = spent - 1 WHERE subject = 'bob'").problem,
              HasSubstr("account of 'bob' says 9.999999999 for 10 documents; its entries say 10"));
}

TEST_F(LedgerVerify, ARemovedAccountShows) {
  EXPECT_EQ(after("DELETE FROM accounts WHERE subject = 'alice'").bad_entry, 1U);
}

TEST_F(LedgerVerify, AnAccountWithoutEntriesShows) {
  EXPECT_THAT(after("INSERT INTO accounts VALUES(9, 'carol', 1, 5, 1)").problem, HasSubstr("'carol'"));
}

TEST_F(LedgerVerify, ReleasesWithoutEntriesShow) {
  EXPECT_THAT(after("INSERT INTO releases VALUES(zeroblob(16), zeroblob(16))").problem,
              HasSubstr("known releases"));
}

TEST_F(LedgerVerify, ForgottenReleasesShow) {
  EXPECT_THAT(
      after("DELETE FROM recent_releases WHERE tag = (SELECT tag FROM entries WHERE entry = 3)").problem,
      HasSubstr("known releases"));
}

// Whoever can write the whole file can write a chain that fits. Only a head recorded elsewhere reveals it.
TEST_F(LedgerVerify, AChainWrittenAnewIsFoundByAPinnedHead) {
  std::filesystem::remove(file());
  {
    const auto forged = store();
    for (std::uint64_t i = 0; i < 25; ++i) charge(*forged, {{"alice", {{tag_number(i), 1}}}}, 100 * kEpsilon);
  }
  EXPECT_EQ(reader()->verify().value().problem, "");
  EXPECT_THAT(reader()->verify(heads_[6]).value().problem, HasSubstr("not in the chain"));
}

TEST_F(LedgerVerify, DamageToTheFileIsAProblemNotAnError) {
  std::string content = base::read_file(file()).value();
  for (std::size_t at = 4096 * 3; at < content.size(); at += 4096) content.replace(at, 50, 50, '\xFF');
  std::ofstream(file(), std::ios::binary) << content;
  EXPECT_NE(reader()->verify().value().problem, "");
}

TEST_F(LedgerVerify, SummaryTopAndExports) {
  charge(*store(), {{"carol", {{tag_number(100), 50 * kEpsilon}}}}, 100 * kEpsilon, "another unit");
  const auto ledger = reader();
  const LedgerSummary summary = ledger->summary().value();
  EXPECT_EQ(summary.entries, 21U);
  ASSERT_EQ(summary.units.size(), 2U);
  EXPECT_EQ(summary.units[1].name, "pure epsilon");
  EXPECT_EQ(summary.units[1].subjects, 2U);
  EXPECT_EQ(summary.units[1].largest, 10 * kEpsilon);
  EXPECT_DOUBLE_EQ(summary.units[1].mean, 10);
  const auto top = ledger->top(1).value();
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].subject, "carol");
  EXPECT_EQ(top[1].subject, "alice");  // as much as bob, and first by name
  std::vector<LedgerEntry> entries;
  ASSERT_TRUE(ledger->each_entry([&](const LedgerEntry& entry) -> Result<void> {
    entries.push_back(entry);
    return {};
  }));
  ASSERT_EQ(entries.size(), 21U);
  EXPECT_EQ(entries[4].hash, heads_[4]);
  EXPECT_EQ(entries[4].tag, base::to_hex(tag_number(4)));
  std::size_t accounts = 0;
  expect_error(ledger->each_account([&](const LedgerAccount&) -> Result<void> {
    return ++accounts < 2 ? Result<void>() : fail(Errc::interrupted, "enough");
  }),
               Errc::interrupted, {"enough"});
  EXPECT_EQ(accounts, 2U);
}

}  // namespace
}  // namespace sotto
