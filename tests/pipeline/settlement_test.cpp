// Rewriting and settling apart: the ledger ends as if one process had done both.
#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sotto/settlement.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

/// What of a ledger does not depend on when and under which id it was written.
struct LedgerContent {
  std::vector<std::string> entries;  ///< in the order of their numbers
  std::vector<std::string> accounts;
  std::vector<std::string> withheld;
  bool operator==(const LedgerContent&) const = default;
};

class SettlementTest : public PipelineTest {
 protected:
  SettlementTest() {
    for (int i = 0; i < 60; ++i) {
      ids_.push_back(fmt::format("r{}", i));
      subjects_.push_back(fmt::format("s{}", i % 7));
      titles_.push_back(i % 5 == 0 ? "12, 7" : words_[static_cast<std::size_t>(i)]);  // digits cost nothing
      texts_.push_back(fmt::format("the {} was cold, {} good", words_[static_cast<std::size_t>(i) + 9], i));
    }
    fields_.reserve(ids_.size());
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      fields_.push_back({{"title", titles_[i]}, {"text", texts_[i]}});
      records_.push_back({i % 2 == 0 ? "even" : "odd", ids_[i], subjects_[i], fields_[i]});
    }
  }

  LedgerOptions ledger(const std::string& name, double limit = 1000) const {
    return {path(name), "who", limit, 30};
  }

  std::vector<UnsettledRecord> rewrite(std::span<const Record> records) const {
    return rewrite(records, options());
  }
  static std::vector<UnsettledRecord> rewrite(std::span<const Record> records, const PrivatizeOptions& with) {
    std::vector<UnsettledRecord> unsettled(records.size());
    const auto done = Privatizer::make(with).value()->rewrite(records, unsettled);
    EXPECT_TRUE(done) << (done ? "" : describe(done.error()));
    return unsettled;
  }

  static std::vector<LedgerClaim> claims_of(std::span<const UnsettledRecord> unsettled) {
    std::vector<LedgerClaim> claims;
    for (const UnsettledRecord& record : unsettled) claims.push_back(record.claim);
    return claims;
  }

  static std::vector<Settled> all_released(std::size_t count) {
    return std::vector<Settled>(count, Settled::released);
  }

  std::vector<LedgerClaim> claims() const { return claims_of(rewrite(records_)); }

  /// The ledger after one process did both.
  LedgerContent expected(double limit, std::vector<ReleasedRecord>* outputs = nullptr,
                         Counts* counts = nullptr) const {
    std::filesystem::remove(path("expected"));
    const auto privatizer = Privatizer::make(options()).value();
    const auto session = privatizer->open_ledger(ledger("expected", limit)).value();
    std::vector<ReleasedRecord> released(records_.size());
    Counts counted;
    EXPECT_TRUE(privatizer->privatize(records_, *session, released, counted));
    if (outputs != nullptr) *outputs = std::move(released);
    if (counts != nullptr) *counts = counted;
    return content("expected");
  }

  LedgerContent content(const std::string& name) const {
    LedgerContent content;
    const auto ledger = Ledger::open(path(name)).value();
    EXPECT_EQ(ledger->verify().value().problem, "");
    EXPECT_TRUE(ledger->each_entry([&](const LedgerEntry& e) -> Result<void> {
      content.entries.push_back(
          fmt::format("{} {} {} {} {} {}", e.number, e.tag, e.mac, e.subject, e.unit, e.amount));
      return {};
    }));
    EXPECT_TRUE(ledger->each_account([&](const LedgerAccount& a) -> Result<void> {
      content.accounts.push_back(fmt::format("{} {} {} {}", a.subject, a.unit, a.spent, a.documents));
      return {};
    }));
    EXPECT_TRUE(ledger->each_withheld([&](const WithheldRecord& w) -> Result<void> {
      content.withheld.push_back(fmt::format("{} {} {} {} {} {} {} {}", w.dataset, w.record, w.has_id,
                                             w.subject, w.unit, w.wanted, w.spent, w.limit));
      return {};
    }));
    return content;
  }

  /// Runs `work` in a process of its own and returns how that ended.
  template <class Work>
  static int in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  std::vector<std::string> ids_, subjects_, titles_, texts_;
  std::vector<std::vector<FieldText>> fields_;
  std::vector<Record> records_;
};

TEST_F(SettlementTest, TheLedgerIsThatOfOneProcess) {
  for (const double limit : {1000.0, 30.0, 6.0, 1.0}) {
    SCOPED_TRACE(limit);
    std::filesystem::remove(path("apart"));
    std::vector<ReleasedRecord> outputs;
    Counts counts;
    const LedgerContent one = expected(limit, &outputs, &counts);
    EXPECT_EQ(one.withheld.empty(), limit == 1000);

    const std::vector<UnsettledRecord> unsettled = rewrite(records_);
    const std::string sent = to_json(claims_of(unsettled));
    const auto session = LedgerSession::open(ledger("apart", limit)).value();
    EXPECT_EQ(session->receipt().unit, "");
    const auto released = session->settle(ledger_claims_from_json(sent).value());
    ASSERT_TRUE(released) << describe(released.error());
    EXPECT_EQ(content("apart"), one);
    Counts settled;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      EXPECT_EQ((*released)[i], outputs[i].settled);
      if (outputs[i].is_released()) {
        EXPECT_EQ(unsettled[i].texts, outputs[i].texts);
        settled += unsettled[i].counts;
      } else {
        ++settled.withheld;
      }
    }
    const auto privatizer = Privatizer::make(options()).value();
    EXPECT_EQ(to_json(privatizer->receipt(settled)), to_json(privatizer->receipt(counts)));
    EXPECT_EQ(statistics_json(privatizer->receipt(settled)), statistics_json(privatizer->receipt(counts)));
  }
}

TEST_F(SettlementTest, BatchesMayComeInAnyOrderIfTheLimitIsNotReached) {
  const LedgerContent one = expected(1000);
  const auto session = LedgerSession::open(ledger("apart")).value();
  constexpr std::size_t kBatch = 13;
  for (std::size_t end = records_.size(); end > 0;) {
    const std::size_t begin = end > kBatch ? end - kBatch : 0;
    const auto part = std::span(records_).subspan(begin, end - begin);
    ASSERT_EQ(session->settle(claims_of(rewrite(part))).value(), all_released(part.size()));
    end = begin;
  }
  EXPECT_EQ(content("apart").accounts, one.accounts);
  EXPECT_EQ(content("apart").entries.size(), one.entries.size());
}

TEST_F(SettlementTest, RepeatsAreFreeAndOtherOutputsAreNot) {
  const std::vector<LedgerClaim> once = claims();
  const auto session = LedgerSession::open(ledger("apart")).value();
  ASSERT_TRUE(session->settle(once));
  const LedgerContent first = content("apart");
  EXPECT_EQ(session->settle(once).value(), all_released(once.size()));
  EXPECT_EQ(content("apart"), first);
  EXPECT_EQ(session->receipt().charged_documents, session->receipt().repeated_documents);
  std::vector<LedgerClaim> other = {once[1]};
  for (ClaimedDocument& document : other[0].documents) document.mac[0] ^= 1;
  ASSERT_TRUE(session->settle(other));
  EXPECT_EQ(content("apart").entries.size(), first.entries.size() + other[0].documents.size());
}

TEST_F(SettlementTest, ARecordHandedInTwiceIsChargedOnce) {
  const LedgerContent one = expected(30);
  std::vector<LedgerClaim> twice;
  for (const LedgerClaim& claim : claims()) twice.insert(twice.end(), 2, claim);
  const auto released = LedgerSession::open(ledger("apart", 30)).value()->settle(twice).value();
  EXPECT_EQ(content("apart"), one);
  for (std::size_t i = 0; i < released.size(); i += 2) EXPECT_EQ(released[i], released[i + 1]);
  // Also where the whole batch comes twice in one call.
  std::vector<LedgerClaim> again = claims();
  const std::vector<LedgerClaim> copy = again;
  again.insert(again.end(), copy.begin(), copy.end());
  ASSERT_TRUE(LedgerSession::open(ledger("again")).value()->settle(again));
  EXPECT_EQ(content("again"), expected(1000));
}

TEST_F(SettlementTest, AWorkerLostAfterItsChargeIsRetriedForNothing) {
  const std::vector<Record> batch(records_.begin(), records_.begin() + 20);
  const int status = in_child([&] {
    const auto privatizer = Privatizer::make(options());
    if (!privatizer) _exit(1);
    std::vector<UnsettledRecord> unsettled(batch.size());
    if (!(*privatizer)->rewrite(batch, unsettled)) _exit(2);
    const auto session = LedgerSession::open(ledger("apart"));
    if (!session || !(*session)->settle(claims_of(unsettled))) _exit(3);
    raise(SIGKILL);  // before anything is released
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  const LedgerContent charged = content("apart");
  EXPECT_GT(charged.entries.size(), 20U);
  const auto session = LedgerSession::open(ledger("apart")).value();
  EXPECT_EQ(session->settle(claims_of(rewrite(batch))).value(), all_released(batch.size()));
  EXPECT_EQ(content("apart"), charged);
}

/// Four tasks, each run by two processes at once, each of which settles by itself.
TEST_F(SettlementTest, ProcessesMaySettleAtOnce) {
  const LedgerContent one = expected(1000);
  const std::vector<LedgerClaim> all = claims();
  std::vector<pid_t> children;
  for (std::size_t task = 0; task < 8; ++task) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto session = LedgerSession::open(ledger("apart"));
    if (!session) _exit(1);
    for (std::size_t i = task % 4; i < all.size(); i += 4)
      if (!(*session)->settle(std::span(all).subspan(i, 1))) _exit(2);
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(content("apart").accounts, one.accounts);
}

TEST_F(SettlementTest, ThreadsMaySettleAtOnceWithinALimit) {
  const std::vector<LedgerClaim> all = claims();
  const auto session = LedgerSession::open(ledger("apart", 20)).value();
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (std::size_t i = 0; i < all.size(); i += 5)
        ASSERT_TRUE(session->settle(std::span(all).subspan(i, 5)));
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(Ledger::open(path("apart")).value()->each_account([](const LedgerAccount& a) -> Result<void> {
    EXPECT_LE(a.spent, 20'000'000'000);
    return {};
  }));
}

TEST_F(SettlementTest, NoClaimIsARefundOrAnOverflow) {
  const auto session = LedgerSession::open(ledger("apart", kLargestLimit)).value();
  const std::vector<LedgerClaim> sound = claims();
  ASSERT_TRUE(session->settle(std::span(sound).first(2)));
  const LedgerContent before = content("apart");
  const auto refuse = [&](Errc code, const std::vector<std::string>& parts, const auto& change) {
    std::vector<LedgerClaim> bad = {sound[2], sound[3]};
    change(bad[1]);
    expect_error(session->settle(bad), code, parts);
    EXPECT_EQ(content("apart"), before);  // not even the sound claim before it
  };
  for (const NanoEpsilon amount : {NanoEpsilon{0}, NanoEpsilon{-1}, std::numeric_limits<NanoEpsilon>::min()})
    refuse(Errc::bad_format, {"claim 2", "an amount of", "at least 1"},
           [&](LedgerClaim& claim) { claim.documents[0].amount = amount; });
  refuse(Errc::bad_format, {"claim 2", "the name of each document"},
         [](LedgerClaim& claim) { claim.names.clear(); });
  refuse(Errc::bad_format, {"claim 2", "'unit'"}, [](LedgerClaim& claim) { claim.unit = "\xFF"; });
  refuse(Errc::bad_format, {"claim 2", "'unit'"}, [](LedgerClaim& claim) { claim.unit.clear(); });
  refuse(Errc::invalid_argument, {"claim 2", "'pure epsilon'"},
         [](LedgerClaim& claim) { claim.unit = "pure epsilon"; });
  refuse(Errc::limit, {"claim 2", "'subject'"},
         [](LedgerClaim& claim) { claim.subject.assign(kLongestClaimName + 1, 'a'); });
  // Amounts whose sum a number of 64 bits does not hold are over any limit.
  LedgerClaim large = sound[1];
  large.documents.assign(3, {.amount = std::numeric_limits<NanoEpsilon>::max()});
  large.names.resize(3);
  for (std::size_t i = 0; i < 3; ++i) large.documents[i].tag[0] = static_cast<unsigned char>(i);
  EXPECT_EQ(session->settle(std::span(&large, 1)).value(), std::vector{Settled::withheld});
  EXPECT_EQ(content("apart").accounts, before.accounts);
  EXPECT_EQ(session->settle({}).value(), std::vector<Settled>());
}

TEST_F(SettlementTest, ASessionHasOneUnit) {
  const std::vector<LedgerClaim> metric = claims();
  const auto given = LedgerSession::open(ledger("given"), "pure epsilon").value();
  expect_error(given->settle(metric), Errc::invalid_argument, "ledger", {"'pure epsilon'", metric[0].unit});
  EXPECT_EQ(given->receipt().unit, "pure epsilon");
  const auto found = LedgerSession::open(ledger("found")).value();
  ASSERT_TRUE(found->settle(metric));
  EXPECT_EQ(found->receipt().unit, metric[0].unit);
  LedgerClaim pure = metric[0];
  pure.unit = "pure epsilon";
  expect_error(found->settle(std::span(&pure, 1)), Errc::invalid_argument, "ledger", {"session of its own"});
}

/// The price of a document is that of the Privatizer that rewrites it, whoever opened the session.
TEST_F(SettlementTest, AnotherPrivatizerChargesItsOwnEpsilon) {
  const auto cheap = Privatizer::make(options(1)).value();
  const auto dear = Privatizer::make(options(3)).value();
  const auto session = cheap->open_ledger(ledger("apart")).value();
  ReleasedRecord output;
  Counts counts;
  ASSERT_TRUE(dear->privatize(std::span(records_).first(1), *session, std::span(&output, 1), counts));
  const NanoEpsilon spent = 3'000'000'000 * static_cast<NanoEpsilon>(counts.privatized);
  EXPECT_EQ(Ledger::open(path("apart")).value()->accounts_of("s0").value().at(0).spent, spent);
}

TEST_F(SettlementTest, RewritingNeedsAKeyAndLeavesNothingOnFailure) {
  std::vector<UnsettledRecord> outputs(records_.size());
  PrivatizeOptions with = options();
  with.key_file.reset();
  expect_error(Privatizer::make(with).value()->rewrite(records_, outputs), Errc::invalid_argument, "ledger",
               {"needs key_file"});
  with.seed = 1;
  expect_error(Privatizer::make(with).value()->rewrite(records_, outputs), Errc::invalid_argument, "ledger",
               {"with seed"});
  fields_[50][1].text = std::string_view("a\0b", 3);
  expect_error(Privatizer::make(options()).value()->rewrite(records_, outputs), Errc::bad_format,
               {"record 51", "NUL"});
  for (const UnsettledRecord& output : outputs) {
    EXPECT_TRUE(output.texts.empty());
    EXPECT_TRUE(output.claim.documents.empty());
  }
  EXPECT_TRUE(Privatizer::make(options()).value()->rewrite({}, {}));
}

TEST_F(SettlementTest, ASessionNeedsALimitAndALedger) {
  for (const double limit : {0.0, -1.0, 1e10, std::nan("")})
    expect_error(LedgerSession::open(ledger("apart", limit)), Errc::invalid_argument, "limit", {});
  write("apart", "not a ledger, but something else");
  EXPECT_FALSE(LedgerSession::open(ledger("apart")));
}

}  // namespace
}  // namespace sotto
