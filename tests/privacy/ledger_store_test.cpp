#include "privacy/ledger_store.hpp"

#include <fstream>
#include <map>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "privacy/ledger_fixture.hpp"
#include "privacy/ledger_lock.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;
using namespace sotto::testing;
using ::testing::ElementsAre;

using LedgerStoreTest = LedgerTest;

TEST_F(LedgerStoreTest, ChargesUpToTheLimitAndWithholdsWhatGoesOver) {
  const auto ledger = store();
  EXPECT_THAT(charge(*ledger,
                     {{"alice", {{tag_number(1), 6 * kEpsilon}}},
                      {"alice", {{tag_number(2), 5 * kEpsilon}}},  // 11 > 10
                      {"bob", {{tag_number(3), 10 * kEpsilon}}},
                      {"alice", {{tag_number(4), 4 * kEpsilon}}},  // exactly 10
                      {"bob", {{tag_number(5), 1}}}},
                     10 * kEpsilon),
              ElementsAre(true, false, true, true, false));
  EXPECT_EQ(spent("alice"), 10 * kEpsilon);
  EXPECT_EQ(spent("bob"), 10 * kEpsilon);
  EXPECT_EQ(ledger->entries(), 3U);
  EXPECT_EQ(ledger->totals().charged, 3U);
  EXPECT_EQ(ledger->totals().withheld, 2U);
}

TEST_F(LedgerStoreTest, ADocumentIsChargedOnce) {
  const std::vector<LedgerRecord> records = {{"alice", {{tag_number(1), 6 * kEpsilon}}},
                                             {"alice", {{tag_number(1), 6 * kEpsilon}}}};
  EXPECT_THAT(charge(*store(), records, 10 * kEpsilon), ElementsAre(true, true));
  const auto again = store();
  EXPECT_THAT(charge(*again, records, 10 * kEpsilon), ElementsAre(true, true));
  EXPECT_EQ(spent("alice"), 6 * kEpsilon);
  EXPECT_EQ(again->totals().repeated, 2U);
  // Even if the limit is lower now: nothing new is revealed.
  EXPECT_THAT(charge(*again, records, 1 * kEpsilon), ElementsAre(true, true));
}

TEST_F(LedgerStoreTest, AnotherOutputOfADocumentIsChargedInFull) {
  const LedgerDocument a{tag_number(1), 4 * kEpsilon, mac_number(1)};
  const LedgerDocument b{tag_number(1), 4 * kEpsilon, mac_number(2)};
  const LedgerDocument c{tag_number(1), 4 * kEpsilon, mac_number(3)};
  // A, B, A cost two, in one batch or in several.
  EXPECT_THAT(charge(*store(), {{"alice", {a}}, {"alice", {b}}, {"alice", {a}}}, 10 * kEpsilon),
              ElementsAre(true, true, true));
  EXPECT_EQ(spent("alice"), 8 * kEpsilon);
  for (const LedgerDocument& document : {b, a})
    EXPECT_THAT(charge(*store(), {{"alice", {document}}}, 10 * kEpsilon), ElementsAre(true));
  EXPECT_EQ(spent("alice"), 8 * kEpsilon);
  EXPECT_THAT(charge(*store(), {{"alice", {c}}, {"alice", {a, b}}}, 10 * kEpsilon), ElementsAre(false, true));
  EXPECT_EQ(spent("alice"), 8 * kEpsilon);
  EXPECT_EQ(store()->entries(), 2U);
  EXPECT_EQ(reader()->verify().value().problem, "");
}

TEST_F(LedgerStoreTest, ARecordIsReleasedWholeOrNotAtAll) {
  const auto ledger = store();
  const LedgerDocument title{tag_number(1), 3 * kEpsilon};
  const LedgerDocument body{tag_number(2), 8 * kEpsilon};
  EXPECT_THAT(charge(*ledger, {{"alice", {title, body}}}, 10 * kEpsilon), ElementsAre(false));
  EXPECT_EQ(spent("alice"), 0);
  EXPECT_EQ(ledger->entries(), 0U);
  EXPECT_THAT(charge(*ledger, {{"alice", {title}}, {"alice", {title, body}}}, 10 * kEpsilon),
              ElementsAre(true, false));
  // With the title already charged, only the body counts.
  EXPECT_THAT(charge(*ledger, {{"alice", {title, body}}}, 11 * kEpsilon), ElementsAre(true));
  EXPECT_EQ(spent("alice"), 11 * kEpsilon);
}

TEST_F(LedgerStoreTest, AWithheldRecordLeavesItsDocumentsToLaterRecordsOfTheBatch) {
  const LedgerDocument title{tag_number(1), 6 * kEpsilon};
  const LedgerDocument body{tag_number(2), 6 * kEpsilon};
  EXPECT_THAT(charge(*store(), {{"alice", {title, body}}, {"alice", {title}}}, 10 * kEpsilon),
              ElementsAre(false, true));
  EXPECT_EQ(reader()->verify().value().problem, "");
  EXPECT_THAT(charge(*store(), {{"alice", {title}}}, 10 * kEpsilon), ElementsAre(true));
  EXPECT_EQ(spent("alice"), 6 * kEpsilon);
}

TEST_F(LedgerStoreTest, UnitsNeverAddUp) {
  const auto ledger = store();
  EXPECT_THAT(charge(*ledger, {{"alice", {{tag_number(1), 9 * kEpsilon}}}}, 10 * kEpsilon, "pure epsilon"),
              ElementsAre(true));
  EXPECT_THAT(charge(*ledger, {{"alice", {{tag_number(2), 9 * kEpsilon}}}}, 10 * kEpsilon, "epsilon times d"),
              ElementsAre(true));
  const auto accounts = reader()->accounts_of("alice").value();
  ASSERT_EQ(accounts.size(), 2U);
  EXPECT_EQ(accounts[0].spent, 9 * kEpsilon);
  EXPECT_EQ(accounts[1].spent, 9 * kEpsilon);
}

TEST_F(LedgerStoreTest, ARecordWithoutDocumentsCostsNothing) {
  EXPECT_THAT(charge(*store(), {{"alice", {}}}, 1), ElementsAre(true));
  EXPECT_TRUE(reader()->accounts_of("alice").value().empty());
}

TEST_F(LedgerStoreTest, HugeAmountsAreWithheldNotOverflowed) {
  EXPECT_THAT(
      charge(*store(), {{"alice", {{tag_number(1), INT64_MAX}, {tag_number(2), INT64_MAX}}}}, 9 * kEpsilon),
      ElementsAre(false));
}

TEST_F(LedgerStoreTest, WithheldRecordsAreListedUntilTheyAreReleased) {
  const auto ledger = store();
  charge(*ledger,
         {{"alice", {{tag_number(1), 6 * kEpsilon}}},
          {"alice", {{tag_number(2), 6 * kEpsilon}}, "x7"},
          {"bob", {{tag_number(3), 20 * kEpsilon}}}},
         10 * kEpsilon);
  std::vector<WithheldRecord> listed;
  const auto collect = [&](const WithheldRecord& record) -> Result<void> {
    listed.push_back(record);
    return {};
  };
  ASSERT_TRUE(reader()->each_withheld(collect));
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].record, "3");
  EXPECT_FALSE(listed[0].has_id);
  EXPECT_EQ(listed[0].subject, "bob");
  EXPECT_EQ(listed[1].record, "x7");
  EXPECT_TRUE(listed[1].has_id);
  EXPECT_EQ(listed[1].spent, 6 * kEpsilon);
  EXPECT_EQ(listed[1].wanted, 6 * kEpsilon);
  charge(*ledger, {{"alice", {{tag_number(2), 6 * kEpsilon}}, "x7"}}, 20 * kEpsilon);
  listed.clear();
  ASSERT_TRUE(reader()->each_withheld(collect));
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].subject, "bob");
}

// Against a plain model of the rules, over enough batches that tags move to their second table.
TEST_F(LedgerStoreTest, AgreesWithAModel) {
  std::mt19937_64 draw(1);
  std::map<std::string, NanoEpsilon> accounts;
  std::set<std::uint64_t> known;
  auto ledger = store();
  const NanoEpsilon limit = 6000;
  std::uint64_t charged = 0;
  for (int batch = 0; batch < 12; ++batch) {
    std::vector<LedgerRecord> records;
    std::vector<bool> expected;
    for (int i = 0; i < 20'000; ++i) {
      const std::string subject = fmt::format("s{}", draw() % 2000);
      LedgerRecord record{subject, {}};
      NanoEpsilon cost = 0;
      std::set<std::uint64_t> fresh;
      for (std::uint64_t n = draw() % 3; n > 0; --n) {
        const std::uint64_t document = draw() % 400'000;
        record.documents.push_back({tag_number(document), static_cast<NanoEpsilon>(document % 97)});
        if (!known.contains(document) && fresh.insert(document).second)
          cost += static_cast<NanoEpsilon>(document % 97);
      }
      expected.push_back(fresh.empty() || accounts[subject] + cost <= limit);
      if (expected.back()) {
        accounts[subject] += cost;
        charged += fresh.size();
        known.insert(fresh.begin(), fresh.end());
      }
      records.push_back(std::move(record));
    }
    ASSERT_EQ(charge(*ledger, records, limit), expected) << batch;
    if (batch % 4 == 3) ledger = store();
  }
  EXPECT_GT(charged, 140'000U);  // more than stay in the first table
  EXPECT_EQ(ledger->entries(), charged);
  for (const auto& [subject, amount] : accounts) ASSERT_EQ(spent(subject), amount);
  const LedgerCheck check = reader()->verify().value();
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.head, base::to_hex(ledger->head()));
}

TEST_F(LedgerStoreTest, ProcessesShareALedger) {
  constexpr int kProcesses = 8;
  constexpr std::uint64_t kBatches = 20;
  constexpr std::uint64_t kDocuments = 50;
  for (int process = 0; process < kProcesses; ++process) {
    if (::fork() != 0) continue;
    const auto ledger = store(60);  // created by whichever process comes first
    for (std::uint64_t batch = 0; batch < kBatches; ++batch) {
      std::vector<LedgerRecord> records;
      for (std::uint64_t i = 0; i < kDocuments; ++i)  // every document goes to two processes
        records.push_back({"all", {{tag_number((process / 2 * kBatches + batch) * kDocuments + i), 1}}});
      charge(*ledger, records, kEpsilon);
    }
    ::_exit(HasFailure() ? 1 : 0);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = 1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(spent("all"), static_cast<NanoEpsilon>(kProcesses / 2 * kBatches * kDocuments));
  EXPECT_EQ(reader()->verify().value().problem, "");
}

TEST_F(LedgerStoreTest, AReaderSeesOneMomentWhileARunWrites) {
  const auto ledger = store();
  charge(*ledger, {{"alice", {{tag_number(0), 1}}}}, kEpsilon);
  std::jthread writer([&] {
    for (std::uint64_t i = 1; i < 200; ++i) charge(*ledger, {{"alice", {{tag_number(i), 1}}}}, kEpsilon);
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(reader()->verify().value().problem, "");
}

TEST_F(LedgerStoreTest, WaitsForOthersAndGivesUpWithALine) {
  const auto ledger = store(0.05);
  const std::vector<LedgerDocument> document = {{tag_number(1), 1}};
  std::vector<LedgerRequest> requests = {{"alice", "data", {}, 0, document}};
  const LedgerTerms terms{"pure epsilon", kEpsilon, {}};
  {
    auto other = LedgerLock::open(file(), 1).value();
    ASSERT_TRUE(other.acquire());
    expect_error(ledger->charge(requests, terms), Errc::io, {"spent.ledger", "locked by another process"});
    int asked = 0;
    ledger->while_waiting([&] { return ++asked < 3; });
    expect_error(ledger->charge(requests, terms), Errc::interrupted, {});
  }
  ledger->while_waiting({});
  {
    auto other = Database::open(file(), Database::Access::write, 1).value();
    ASSERT_TRUE(other.execute("BEGIN IMMEDIATE"));
    expect_error(ledger->charge(requests, terms), Errc::io, {"spent.ledger", "locked by another process"});
  }
  EXPECT_TRUE(ledger->charge(requests, terms));
}

// Every commit is a group of frames in the log; a power cut leaves a prefix of the log, followed by garbage.
TEST_F(LedgerStoreTest, WhateverAPowerCutLeavesOfTheLogIsAPrefixOfTheBatches) {
  auto ledger = store();
  std::vector<std::string> heads = {base::to_hex(ledger->head())};
  for (std::uint64_t i = 0; i < 30; ++i) {
    charge(*ledger, {{"alice", {{tag_number(i), 1}}}, {"bob", {{tag_number(1000 + i), 1}}}}, kEpsilon);
    heads.push_back(base::to_hex(ledger->head()));
  }
  const std::string log = base::read_file(file().string() + "-wal").value();
  const std::string main = base::read_file(file()).value();
  std::mt19937_64 draw(1);
  std::set<std::uint64_t> lengths;
  for (int round = 0; round < 100; ++round) {
    const auto cut = folder_.path() / fmt::format("cut{}", round);
    const std::size_t kept = draw() % (log.size() + 1);
    std::string left = log.substr(0, kept);
    if (round % 2 == 1) left += std::string(draw() % 5000, static_cast<char>(round));
    std::ofstream(cut, std::ios::binary) << main;
    std::ofstream(cut.string() + "-wal", std::ios::binary) << left;
    const auto recovered = Ledger::open(cut);
    if (!recovered) {  // cut before the first batch was complete: the tables are in the log too
      EXPECT_LT(kept, log.size() / 4);
      continue;
    }
    const LedgerCheck check = (*recovered)->verify().value();
    EXPECT_EQ(check.problem, "");
    EXPECT_EQ(check.head, heads[check.entries / 2]);
    lengths.insert(check.entries);
  }
  EXPECT_GT(lengths.size(), 15U);
}

TEST_F(LedgerStoreTest, StrangersFilesAreRefusedAndLeftAlone) {
  const auto refuse = [&](const std::string& content, const std::string& reason) {
    std::ofstream(file(), std::ios::binary) << content;
    expect_error(LedgerStore::open(file(), 1), Errc::bad_format, {file().string(), reason});
    expect_error(Ledger::open(file()), Errc::bad_format, {file().string(), reason});
    EXPECT_EQ(base::read_file(file()).value(), content);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
  };
  refuse("a text, certainly not a database of any kind\n", "not a ledger");
  std::filesystem::remove(file());
  tamper("CREATE TABLE t(x)");
  refuse(base::read_file(file()).value(), "not a ledger");
}

TEST_F(LedgerStoreTest, ANewerVersionIsRefused) {
  store();
  for (const std::string version : {"4", "0", "-1"}) {
    tamper(("PRAGMA user_version = " + version).c_str());
    expect_error(LedgerStore::open(file(), 1), Errc::bad_format,
                 {"version " + version, "knows versions 1 to 3"});
    expect_error(Ledger::open(file()), Errc::bad_format, {"version " + version, "knows versions 1 to 3"});
  }
}

TEST_F(LedgerStoreTest, AFolderThatIsNotThere) {
  expect_error(LedgerStore::open(folder_.path() / "absent" / "ledger", 1), Errc::not_found, {"absent"});
  expect_error(Ledger::open(file()), Errc::not_found, {"spent.ledger"});
}

}  // namespace
}  // namespace sotto
