// Ledgers that release the name of a document once.
#include <gmock/gmock.h>

#include "privacy/ledger_fixture.hpp"
#include "privacy/ledger_schema.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;
using namespace sotto::testing;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr auto kReleased = Settled::released;
constexpr auto kWithheld = Settled::withheld;
constexpr auto kRepeated = Settled::repeated;
constexpr NanoEpsilon kPlenty = 1000 * kEpsilon;

class LedgerRepeats : public LedgerTest {
 protected:
  /// A record of one document: output `output` of the document called `name`.
  static LedgerRecord record(std::uint64_t name, std::uint64_t output, NanoEpsilon amount = kEpsilon) {
    return {"alice", {{tag_number(output), amount, mac_number(output)}}, {}, {name_number(name)}};
  }

  /// One whose text costs nothing.
  static LedgerRecord free_record(std::uint64_t name) { return {"alice", {}, {}, {name_number(name)}}; }

  static DocumentNameTag name_number(std::uint64_t number) { return tag_number(number + 1000); }

  std::vector<Settled> refuse(const std::vector<LedgerRecord>& records, NanoEpsilon limit = kPlenty) const {
    return settle(*store(), records, limit, true);
  }

  std::int64_t count(const char* table) const {
    auto database = Database::open(file(), Database::Access::read, 1).value();
    return database.integer((std::string("SELECT COUNT(*) FROM ") + table).c_str()).value();
  }
};

TEST_F(LedgerRepeats, ANameIsReleasedOnceWhateverItsText) {
  EXPECT_THAT(refuse({record(1, 1)}), ElementsAre(kReleased));
  EXPECT_THAT(refuse({record(1, 1)}), ElementsAre(kRepeated));    // the same output
  EXPECT_THAT(refuse({record(1, 2)}), ElementsAre(kRepeated));    // another
  EXPECT_THAT(refuse({free_record(1)}), ElementsAre(kRepeated));  // an empty one
  LedgerRecord bob = record(1, 3);
  bob.subject = "bob";
  EXPECT_THAT(refuse({bob}), ElementsAre(kRepeated));
  EXPECT_THAT(refuse({record(2, 2)}), ElementsAre(kReleased));
  EXPECT_EQ(spent("alice"), 2 * kEpsilon);
  EXPECT_EQ(count("entries"), 2);
  EXPECT_EQ(count("names"), 2);
  EXPECT_EQ(count("withheld"), 0);
  EXPECT_EQ(reader()->verify().value().problem, "");
}

TEST_F(LedgerRepeats, ATextThatCostsNothingLeavesItsName) {
  EXPECT_THAT(refuse({free_record(1)}), ElementsAre(kReleased));
  EXPECT_THAT(refuse({record(1, 1), free_record(1), free_record(2), free_record(2)}),
              ElementsAre(kRepeated, kRepeated, kReleased, kRepeated));
  EXPECT_EQ(count("entries"), 0);
}

TEST_F(LedgerRepeats, OneRepeatedFieldRefusesTheRecord) {
  LedgerRecord two = record(1, 1);
  two.documents.push_back({tag_number(2), kEpsilon, mac_number(2)});
  two.names.push_back(name_number(2));
  LedgerRecord overlapping = record(3, 3);
  overlapping.documents.push_back({tag_number(4), kEpsilon, mac_number(4)});
  overlapping.names.push_back(name_number(2));
  EXPECT_THAT(refuse({two, overlapping, record(3, 5)}), ElementsAre(kReleased, kRepeated, kReleased));
  EXPECT_EQ(spent("alice"), 3 * kEpsilon);
  EXPECT_EQ(count("names"), 3);
  LedgerRecord itself = record(6, 6);
  itself.names.push_back(name_number(6));  // the name of both its documents
  EXPECT_THAT(refuse({itself, record(6, 7)}), ElementsAre(kRepeated, kReleased));
}

TEST_F(LedgerRepeats, WhatIsWithheldIsNoRelease) {
  EXPECT_THAT(refuse({record(1, 1, 5 * kEpsilon), record(1, 2)}, 2 * kEpsilon),
              ElementsAre(kWithheld, kReleased));
  EXPECT_THAT(refuse({record(2, 3, 5 * kEpsilon)}, 2 * kEpsilon), ElementsAre(kWithheld));
  EXPECT_THAT(refuse({record(2, 3, 5 * kEpsilon)}, 9 * kEpsilon), ElementsAre(kReleased));
  EXPECT_EQ(count("withheld"), 0);
}

/// Whoever charges without the option is held to limits only, and leaves no names.
TEST_F(LedgerRepeats, OtherRunsOnTheSameFileAreNotHeldToIt) {
  EXPECT_THAT(refuse({record(1, 1)}), ElementsAre(kReleased));
  EXPECT_THAT(charge(*store(), {record(1, 1), record(1, 2), record(2, 3)}, kPlenty), Each(true));
  EXPECT_THAT(refuse({record(1, 2), record(2, 4)}), ElementsAre(kRepeated, kReleased));
  EXPECT_EQ(spent("alice"), 4 * kEpsilon);
  EXPECT_EQ(reader()->verify().value().problem, "");
}

TEST_F(LedgerRepeats, AFailedBatchNotesNothing) {
  const auto ledger = store();
  EXPECT_THAT(settle(*ledger, {record(1, 1)}, kPlenty, true), ElementsAre(kReleased));
  tamper("UPDATE accounts SET spent = -1");
  std::vector<LedgerRecord> batch = {record(2, 2)};
  batch[0].subject = "bob";
  batch.push_back(record(3, 3));
  std::vector<LedgerRequest> requests;
  for (const LedgerRecord& record : batch)
    requests.push_back({record.subject, "data", {}, 0, record.documents, record.names});
  EXPECT_FALSE(ledger->charge(requests, {"pure epsilon", kPlenty, std::chrono::seconds(1), true}));
  EXPECT_EQ(count("names"), 1);
}

TEST_F(LedgerRepeats, ALedgerOfVersion2IsReadAndUpgraded) {
  charge(*store(), {record(1, 1), record(2, 2)}, kPlenty);
  tamper("DROP TABLE names; PRAGMA user_version = 2");
  const LedgerCheck before = reader()->verify().value();
  EXPECT_EQ(before.problem, "");
  EXPECT_EQ(before.entries, 2U);
  EXPECT_THAT(refuse({record(1, 1), record(1, 3)}), ElementsAre(kReleased, kRepeated));
  EXPECT_EQ(spent("alice"), 2 * kEpsilon);
  const LedgerCheck after = reader()->verify(before.head).value();
  EXPECT_EQ(after.problem, "");
  EXPECT_EQ(after.pinned_at, 2U);
}

}  // namespace
}  // namespace sotto
