// Batches of records against a plain reading of the rules, on ledgers so small that documents repeat and
// limits are reached all the time.
#include <map>
#include <set>

#include <rapidcheck.h>

#include "base/hash.hpp"
#include "privacy/ledger_fixture.hpp"

namespace sotto::testing {

using namespace sotto::privacy;

/// How counterexamples are printed.
static void showValue(const LedgerRecord& record, std::ostream& out) {
  out << record.subject << ":";
  for (const LedgerDocument& document : record.documents)
    out << " " << base::to_hex(document.tag).substr(0, 4) << "/" << base::to_hex(document.mac).substr(0, 4)
        << " costs " << document.amount;
}

}  // namespace sotto::testing

namespace sotto {
namespace {

using namespace sotto::testing;

/// The rules, with a set and a map.
class ReferenceLedger {
 public:
  /// Returns whether the record is released.
  bool charge(const LedgerRecord& record, NanoEpsilon limit) {
    std::set<Release> fresh;
    NanoEpsilon cost = 0;
    for (const LedgerDocument& document : record.documents) {
      const Release release(document.tag, document.mac);
      if (!known_.contains(release) && fresh.insert(release).second) cost += document.amount;
    }
    if (!fresh.empty() && spent_[record.subject] + cost > limit) return false;
    if (!fresh.empty()) spent_[record.subject] += cost;
    known_.insert(fresh.begin(), fresh.end());
    return true;
  }

  NanoEpsilon spent(const std::string& subject) { return spent_[subject]; }
  std::size_t entries() const { return known_.size(); }

 private:
  using Release = std::pair<DocumentTag, OutputMac>;
  std::set<Release> known_;
  std::map<std::string, NanoEpsilon> spent_;
};

LedgerRecord any_record() {
  const int subject = *rc::gen::inRange(0, 2);
  LedgerRecord record{subject == 0 ? "alice" : "bob", {}};
  const int documents = *rc::gen::inRange(0, 4);
  for (int i = 0; i < documents; ++i) {
    const int document = *rc::gen::inRange(0, 6);
    record.documents.push_back({tag_number(static_cast<std::uint64_t>(2 * document + subject)),
                                1 + document % 4, mac_number(*rc::gen::inRange<std::uint64_t>(0, 2))});
  }
  return record;
}

class LedgerProperty : public LedgerTest {
 protected:
  /// Charges one batch in the ledger and in the reference, checks that the ledger is sound, and returns which
  /// records were released.
  std::vector<bool> charge_and_compare(LedgerStore& ledger, const std::vector<LedgerRecord>& batch,
                                       NanoEpsilon limit) {
    std::vector<bool> expected;
    for (const LedgerRecord& record : batch) expected.push_back(reference_.charge(record, limit));
    RC_ASSERT(charge(ledger, batch, limit) == expected);
    RC_ASSERT(ledger.entries() == reference_.entries());
    for (const std::string subject : {"alice", "bob"}) RC_ASSERT(spent(subject) == reference_.spent(subject));
    RC_ASSERT(reader()->verify().value().problem == "");
    return expected;
  }

  void start_anew() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      std::filesystem::remove(entry.path());
    reference_ = {};
  }

  ReferenceLedger reference_;
};

TEST_F(LedgerProperty, BatchesFollowTheRulesAndARepeatIsFree) {
  EXPECT_TRUE(rc::check([this] {
    start_anew();
    std::vector<LedgerRecord> released;
    auto ledger = store();
    const int batches = *rc::gen::inRange(1, 5);
    for (int i = 0; i < batches; ++i) {
      const auto batch = *rc::gen::container<std::vector<LedgerRecord>>(rc::gen::exec(any_record));
      const NanoEpsilon limit = *rc::gen::inRange(1, 20);
      const std::vector<bool> answers = charge_and_compare(*ledger, batch, limit);
      for (std::size_t record = 0; record < batch.size(); ++record)
        if (answers[record]) released.push_back(batch[record]);
    }
    const std::size_t entries = reference_.entries();
    ledger = store();
    charge_and_compare(*ledger, released, 1);
    RC_ASSERT(reference_.entries() == entries);
  }));
}

}  // namespace
}  // namespace sotto
