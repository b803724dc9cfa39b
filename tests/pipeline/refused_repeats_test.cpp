// A ledger that refuses repeats: nobody can try out guesses under the name of a document.
#include <algorithm>
#include <csignal>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sotto/settlement.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kReleased = Settled::released;
constexpr auto kWithheld = Settled::withheld;
constexpr auto kRepeated = Settled::repeated;

class RefusedRepeats : public PipelineTest {
 protected:
  /// A record with fields title and text; with an empty title, with text alone.
  struct Sent {
    std::string id;
    std::string text;
    std::string title = {};
    std::string subject = "alice";
    std::string dataset = "set";
  };

  LedgerOptions ledger(double limit = 1000) const {
    return {.file = path("ledger"), .subject_field = "who", .limit = limit, .refuse_repeats = true};
  }

  /// Releases in one batch, as a process of its own would.
  std::vector<Settled> send(const std::vector<Sent>& batch, const PrivatizeOptions& with, double limit = 1000,
                            Counts* counts = nullptr) const {
    std::vector<std::vector<FieldText>> fields;
    fields.reserve(batch.size());
    std::vector<Record> records;
    for (const Sent& sent : batch) {
      fields.push_back({{"text", sent.text}});
      if (!sent.title.empty()) fields.back().push_back({"title", sent.title});
      records.push_back({sent.dataset, sent.id, sent.subject, fields.back()});
    }
    const auto privatizer = Privatizer::make(with).value();
    const auto session = privatizer->open_ledger(ledger(limit)).value();
    std::vector<ReleasedRecord> outputs(batch.size());
    Counts ignored;
    const auto done = privatizer->privatize(records, *session, outputs, counts ? *counts : ignored);
    EXPECT_TRUE(done) << (done ? "" : describe(done.error()));
    std::vector<Settled> settled;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      settled.push_back(outputs[i].settled);
      EXPECT_EQ(outputs[i].texts.size(), outputs[i].is_released() ? fields[i].size() : 0);
    }
    return settled;
  }
  std::vector<Settled> send(const std::vector<Sent>& batch) const { return send(batch, options()); }

  NanoEpsilon spent(const std::string& subject) const {
    const auto accounts = Ledger::open(path("ledger")).value()->accounts_of(subject).value();
    return accounts.empty() ? 0 : accounts[0].spent;
  }
};

TEST_F(RefusedRepeats, AGuessUnderAnIdIsRefused) {
  EXPECT_THAT(send({{"1", "the waiter was cold"}}), ElementsAre(kReleased));
  const NanoEpsilon before = spent("alice");
  EXPECT_GT(before, 0);
  for (const std::string guess : {"the waiter was cold", "the soup was bad", "", "12", "..."})
    EXPECT_THAT(send({{"1", guess}}), ElementsAre(kRepeated)) << guess;
  EXPECT_THAT(send({{"1", "soup", {}, "bob"}}), ElementsAre(kRepeated));   // on somebody else's account
  EXPECT_THAT(send({{"1", "soup"}}, options(2)), ElementsAre(kRepeated));  // under other settings
  EXPECT_THAT(send({{"1", "soup", {}, "alice", "other"}, {"2", "soup"}}), ElementsAre(kReleased, kReleased));
  EXPECT_EQ(spent("bob"), 0);
  EXPECT_EQ(spent("alice"), before + 2'000'000'000);
}

TEST_F(RefusedRepeats, AnEmptyTextTakesItsNameToo) {
  EXPECT_THAT(send({{"1", ""}, {"2", "12"}}), ElementsAre(kReleased, kReleased));
  EXPECT_THAT(send({{"1", "soup"}, {"2", "soup"}}), ElementsAre(kRepeated, kRepeated));
}

TEST_F(RefusedRepeats, WithinABatchTheFirstOfANameIsReleased) {
  Counts counts;
  EXPECT_THAT(send({{"1", "soup"}, {"1", "soup"}, {"1", "cold"}, {"2", "cold"}}, options(), 1000, &counts),
              ElementsAre(kReleased, kRepeated, kRepeated, kReleased));
  EXPECT_EQ(counts.repeated, 2U);
  EXPECT_EQ(counts.withheld, 0U);
  EXPECT_EQ(counts.documents, 2U);
  EXPECT_EQ(counts.privatized, 2U);
  EXPECT_EQ(spent("alice"), 2'000'000'000);
}

TEST_F(RefusedRepeats, ARecordIsRefusedAsAWhole) {
  EXPECT_THAT(send({{"1", "soup", "cold"}}), ElementsAre(kReleased));
  EXPECT_THAT(send({{"1", "good"}, {"1", "soup", "new"}}), ElementsAre(kRepeated, kRepeated));
  // A field that was not released yet can be, but not together with one that was.
  EXPECT_THAT(send({{"2", "good"}, {"2", "good", "cold"}}), ElementsAre(kReleased, kRepeated));
}

TEST_F(RefusedRepeats, WhatTheLimitWithholdsMayBeSentAgain) {
  EXPECT_THAT(send({{"1", "the waiter was cold"}}, options(), 2), ElementsAre(kWithheld));
  EXPECT_THAT(send({{"1", "soup"}}, options(), 2), ElementsAre(kReleased));
  EXPECT_THAT(send({{"1", "the waiter was cold"}}, options(), 2), ElementsAre(kRepeated));
}

TEST_F(RefusedRepeats, AChargeWithoutAnAnswerIsARelease) {
  const pid_t child = fork();
  if (child == 0) {
    const auto privatizer = Privatizer::make(options());
    if (!privatizer) _exit(1);
    const FieldText field{"text", "soup"};
    const Record record{"set", "1", "alice", std::span(&field, 1)};
    UnsettledRecord unsettled;
    if (!(*privatizer)->rewrite(std::span(&record, 1), std::span(&unsettled, 1))) _exit(2);
    const auto session = LedgerSession::open(ledger());
    if (!session || !(*session)->settle(std::span(&unsettled.claim, 1))) _exit(3);
    raise(SIGKILL);  // before anything is released
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  EXPECT_EQ(spent("alice"), 1'000'000'000);
  EXPECT_THAT(send({{"1", "soup"}}), ElementsAre(kRepeated));
}

/// Eight processes send eight guesses under one name.
TEST_F(RefusedRepeats, OneOfManyProcessesReleasesAName) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto settled = send({{"1", words_[static_cast<std::size_t>(i)]}});
    _exit(settled[0] == kReleased ? 10 : settled[0] == kRepeated ? 20 : 30);
  }
  std::map<int, int> ends;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ++ends[WEXITSTATUS(status)];
  }
  EXPECT_EQ(ends[10], 1);
  EXPECT_EQ(ends[20], 7);
  EXPECT_EQ(spent("alice"), 1'000'000'000);
}

TEST_F(RefusedRepeats, FilesLeaveRepeatsOut) {
  write("in.jsonl", R"({"id":"1","who":"alice","text":"soup"}
{"id":"2","who":"alice","text":""}
{"id":"1","who":"alice","text":"cold"}
{"id":"2","who":"alice","text":"cold"}
{"id":"3","who":"alice","text":"cold"}
)");
  FileOptions with = files("in.jsonl", "out.jsonl");
  with.fields = {"text"};
  with.id_field = "id";
  with.ledger = ledger();
  const auto first = privatize_files(options(), with);
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ(first->counts.repeated, 2U);
  EXPECT_EQ(first->counts.documents, 3U);
  expect_sound(*first);
  EXPECT_THAT(to_json(*first), HasSubstr(R"("repeated": 2)"));
  const std::string output = read("out.jsonl");
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 3);
  const auto again = privatize_files(options(), with);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->counts.repeated, 5U);
  EXPECT_EQ(read("out.jsonl"), "");
}

}  // namespace
}  // namespace sotto
