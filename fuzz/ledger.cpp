// Ledger files of unknown origin: reading never crashes, and what verifies stays sound when charged.
#include <sotto/ledger.hpp>

#include "fuzz.hpp"
#include "privacy/ledger_store.hpp"

namespace {

using namespace sotto;
using fuzz::require;

/// Reads everything; returns the head of a sound ledger, otherwise an empty string.
std::string read_all(const std::filesystem::path& file) {
  const auto ledger = Ledger::open(file);
  if (!ledger) return {};
  (void)(*ledger)->summary();
  (void)(*ledger)->top(3);
  (void)(*ledger)->accounts_of("alice");
  (void)(*ledger)->each_entry([](const LedgerEntry&) -> Result<void> { return {}; });
  (void)(*ledger)->each_account([](const LedgerAccount&) -> Result<void> { return {}; });
  (void)(*ledger)->each_withheld([](const WithheldRecord&) -> Result<void> { return {}; });
  const auto check = (*ledger)->verify();
  return check && check->problem.empty() ? check->head : std::string();
}

struct Charge {
  bool done = false;
  bool released = false;
  privacy::LedgerTotals totals;
};

Charge charge(const std::filesystem::path& file) {
  Charge result;
  const auto store = privacy::LedgerStore::open(file, 0.1);
  if (!store) return result;
  privacy::LedgerDocument document;
  document.tag.fill(0xA5);
  document.amount = 1'000'000'000;
  privacy::LedgerRequest request;
  request.subject = "alice";
  request.dataset = "set";
  request.documents = {&document, 1};
  result.done = (*store)->charge({&request, 1}, {"pure", 2'000'000'000, {}}).has_value();
  result.released = request.settled == Settled::released;
  result.totals = (*store)->totals();
  return result;
}

NanoEpsilon spent_by_alice(const std::filesystem::path& file) {
  NanoEpsilon spent = 0;
  if (const auto ledger = Ledger::open(file))
    if (const auto accounts = (*ledger)->accounts_of("alice"))
      for (const LedgerAccount& account : *accounts)
        if (account.unit == "pure") spent = account.spent;
  return spent;
}

void check_charges(const std::filesystem::path& file, const std::string& head) {
  const NanoEpsilon before = spent_by_alice(file);
  const Charge first = charge(file);
  if (!first.done) return;
  const NanoEpsilon after = spent_by_alice(file);
  require(after - before == (first.totals.charged == 1 ? 1'000'000'000 : 0), "what is charged is entered");
  require(first.released == (first.totals.charged + first.totals.repeated == 1),
          "what is released was charged or is a repeat");
  const auto ledger = Ledger::open(file);
  require(ledger.has_value(), "a charged ledger opens");
  const auto check = (*ledger)->verify(head);
  require(check && check->problem.empty() && check->pinned_at, "a sound ledger stays sound");
  if (!first.released) return;
  const Charge second = charge(file);
  require(second.done && second.released && second.totals.charged == 0, "a repeat is free");
}

}  // namespace

SOTTO_FUZZ_TARGET(ledger) {
  for (const char* suffix : {"-wal", "-shm", "-journal", "-lock"})
    std::filesystem::remove(fuzz::scratch() / (std::string("ledger") + suffix));
  const std::filesystem::path file = fuzz::write_scratch("ledger", input);
  const std::string head = read_all(file);
  if (head.empty())
    (void)charge(file);
  else
    check_charges(file, head);
}
