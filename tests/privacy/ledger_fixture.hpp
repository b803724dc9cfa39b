// A ledger in a folder of its own, and shorthands for charging it.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "privacy/ledger_store.hpp"
#include "privacy/sqlite.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {

constexpr NanoEpsilon kEpsilon = 1'000'000'000;

inline privacy::DocumentTag tag_number(std::uint64_t number) {
  privacy::DocumentTag tag{};
  number = (number + 1) * 0x9E3779B97F4A7C15ULL;  // spread as keyed hashes are
  std::memcpy(tag.data(), &number, sizeof(number));
  return tag;
}

inline privacy::OutputMac mac_number(std::uint64_t number) {
  return tag_number(~number);
}

struct LedgerRecord {
  std::string subject;
  std::vector<privacy::LedgerDocument> documents;
  std::string id = {};  // if empty, its number
  std::vector<privacy::DocumentNameTag> names = {};
};

class LedgerTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "spent.ledger"; }

  std::unique_ptr<privacy::LedgerStore> store(double wait_seconds = 10) const {
    auto opened = privacy::LedgerStore::open(file(), wait_seconds);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }

  /// Charges the records in one batch and returns which were released.
  static std::vector<bool> charge(privacy::LedgerStore& store, const std::vector<LedgerRecord>& records,
                                  NanoEpsilon limit, std::string_view unit = "pure epsilon") {
    std::vector<bool> released;
    for (const Settled settled : settle(store, records, limit, false, unit))
      released.push_back(settled == Settled::released);
    return released;
  }

  static std::vector<Settled> settle(privacy::LedgerStore& store, const std::vector<LedgerRecord>& records,
                                     NanoEpsilon limit, bool refuse_repeats,
                                     std::string_view unit = "pure epsilon") {
    std::vector<privacy::LedgerRequest> requests;
    for (std::size_t i = 0; i < records.size(); ++i) {
      privacy::LedgerRequest request{records[i].subject,   "data",          {}, i,
                                     records[i].documents, records[i].names};
      if (!records[i].id.empty()) request.id = records[i].id;
      requests.push_back(request);
    }
    const auto done = store.charge(requests, {unit, limit, std::chrono::seconds(1763193600), refuse_repeats});
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    std::vector<Settled> settled;
    for (const privacy::LedgerRequest& request : requests) settled.push_back(request.settled);
    return settled;
  }

  std::unique_ptr<Ledger> reader() const { return Ledger::open(file()).value(); }

  NanoEpsilon spent(std::string_view subject) const {
    const auto accounts = reader()->accounts_of(subject).value();
    EXPECT_LE(accounts.size(), 1U);
    return accounts.empty() ? 0 : accounts[0].spent;
  }

  /// Changes the file behind the ledger's back.
  void tamper(const char* sql) const {
    auto database = privacy::Database::open(file(), privacy::Database::Access::write, 1).value();
    const auto done = database.execute(sql);  // may hold several statements
    ASSERT_TRUE(done) << done.error().message;
  }

  TemporaryFolder folder_;
};

}  // namespace sotto::testing
