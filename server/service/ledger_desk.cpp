#include "service/ledger_desk.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <utility>

namespace sotto::server {
namespace {

NanoEpsilon limit_of(const LedgerOptions& options) {
  // As the ledger does: exact where the limit is, otherwise down.
  const NanoEpsilon nearest = std::llround(options.limit * 1e9);
  return static_cast<double>(nearest) / 1e9 <= options.limit ? nearest : nearest - 1;
}

Result<Spending> spending_in(Ledger& ledger, std::string_view subject, const std::string& unit,
                             NanoEpsilon limit) {
  SOTTO_ASSIGN(const std::vector<LedgerAccount> accounts, ledger.accounts_of(subject));
  NanoEpsilon spent = 0;
  for (const LedgerAccount& account : accounts)
    if (account.unit == unit) spent = account.spent;
  return Spending{spent, std::max<NanoEpsilon>(limit - spent, 0)};
}

/// The answers to a job, whose records begin at `settled`.
Privatized answers_of(std::vector<UnsettledRecord>& records, const Settled* settled) {
  Privatized answer;
  answer.texts.resize(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    PrivatizedText& text = answer.texts[i];
    switch (settled[i]) {
      case Settled::released:
        text.release = Release::released;
        text.text = std::move(records[i].texts.front());
        answer.counts += records[i].counts;
        break;
      case Settled::withheld:
        text.release = Release::withheld;
        ++answer.counts.withheld;
        break;
      case Settled::repeated:
        text.release = Release::refused;
        ++answer.counts.repeated;
        break;
    }
  }
  return answer;
}

}  // namespace

Result<std::unique_ptr<LedgerDesk>> LedgerDesk::open(const LedgerOptions& options,
                                                     std::unique_ptr<LedgerSession> session) {
  SOTTO_ASSIGN(auto ledger, Ledger::open(options.file));
  return std::unique_ptr<LedgerDesk>(new LedgerDesk(options, std::move(session), std::move(ledger)));
}

LedgerDesk::LedgerDesk(LedgerOptions options, std::unique_ptr<LedgerSession> session,
                       std::unique_ptr<Ledger> ledger)
    : options_(std::move(options)), session_(std::move(session)), accounts_(std::move(ledger)) {
  thread_ = std::thread([this] { run(); });
}

LedgerDesk::~LedgerDesk() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LedgerDesk::settle(std::vector<UnsettledJob> jobs) {
  {
    const std::lock_guard lock(mutex_);
    for (UnsettledJob& job : jobs) waiting_.push_back(std::move(job));
  }
  changed_.notify_one();
}

Outcome<std::vector<Settled>> LedgerDesk::settle_claims(std::span<const LedgerClaim> claims) {
  for (const LedgerClaim& claim : claims)
    if (claim.unit != unit()) return unprocessable("a claim is in another unit than the ledger", "claims");
  auto decided = session_->settle(claims);
  if (!decided) return unavailable("the ledger cannot be charged");
  return std::move(*decided);
}

Outcome<Spending> LedgerDesk::spending_of(std::string_view subject) const {
  const auto ledger = Ledger::open(options_.file);
  if (!ledger) return unavailable("the ledger cannot be read");
  const auto spending = spending_in(**ledger, subject, unit(), limit_of(options_));
  if (!spending) return unavailable("the ledger cannot be read");
  return *spending;
}

void LedgerDesk::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<UnsettledJob> jobs = std::exchange(waiting_, {});
    lock.unlock();
    settle_all(jobs);
    jobs.clear();
    lock.lock();
  }
}

void LedgerDesk::settle_all(std::vector<UnsettledJob>& jobs) {
  auto answers = settled(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (answers)
      jobs[i].job.answer(std::move((*answers)[i]));
    else
      jobs[i].job.answer(unavailable("the ledger cannot be charged"));
  }
}

Result<std::vector<Privatized>> LedgerDesk::settled(std::vector<UnsettledJob>& jobs) try {
  std::vector<LedgerClaim> claims;
  for (UnsettledJob& job : jobs)
    for (UnsettledRecord& record : job.records) claims.push_back(std::move(record.claim));
  SOTTO_ASSIGN(const std::vector<Settled> decided, session_->settle(claims));
  std::vector<Privatized> answers;
  const Settled* next = decided.data();
  for (UnsettledJob& job : jobs) {
    answers.push_back(answers_of(job.records, next));
    answers.back().ledger = session_->receipt();
    next += job.records.size();
  }
  SOTTO_TRY(add_spending(jobs, answers));
  return answers;
} catch (const std::bad_alloc&) {
  return fail(Errc::io, "out of memory");
}

Result<void> LedgerDesk::add_spending(const std::vector<UnsettledJob>& jobs,
                                      std::vector<Privatized>& answers) {
  std::map<std::string_view, Spending> of_subject;
  const std::string unit = session_->receipt().unit;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (std::size_t text = 0; text < answers[i].texts.size(); ++text) {
      const std::string_view subject = jobs[i].job.texts[text].subject;
      auto known = of_subject.find(subject);
      if (known == of_subject.end()) {
        SOTTO_ASSIGN(const Spending spending, spending_in(*accounts_, subject, unit, limit_of(options_)));
        known = of_subject.emplace(subject, spending).first;
      }
      answers[i].texts[text].spending = known->second;
    }
  }
  return {};
}

}  // namespace sotto::server
