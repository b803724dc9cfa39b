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

NanoEpsilon spent_in(const std::vector<LedgerAccount>& accounts, const std::string& unit) {
  for (const LedgerAccount& account : accounts)
    if (account.unit == unit) return account.spent;
  return 0;
}

Privatized released(std::vector<UnsettledRecord>& records, std::vector<bool>::const_iterator allowed) {
  Privatized answer;
  answer.texts.resize(records.size());
  for (std::size_t i = 0; i < records.size(); ++i, ++allowed) {
    if (*allowed) {
      answer.texts[i] = {Release::released, std::move(records[i].texts.front()), {}};
      answer.counts += records[i].counts;
    } else {
      ++answer.counts.withheld;
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

Outcome<std::vector<bool>> LedgerDesk::settle_claims(std::span<const LedgerClaim> claims) {
  auto allowed = session_->settle(claims);
  if (!allowed) return unavailable("the ledger cannot be charged");
  return std::move(*allowed);
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
      jobs[i].job.done(std::move((*answers)[i]));
    else
      jobs[i].job.done(unavailable("the ledger cannot be charged"));
  }
}

Result<std::vector<Privatized>> LedgerDesk::settled(std::vector<UnsettledJob>& jobs) try {
  std::vector<LedgerClaim> claims;
  for (UnsettledJob& job : jobs)
    for (UnsettledRecord& record : job.records) claims.push_back(std::move(record.claim));
  SOTTO_ASSIGN(const std::vector<bool> allowed, session_->settle(claims));
  std::vector<Privatized> answers;
  auto next = allowed.begin();
  for (UnsettledJob& job : jobs) {
    answers.push_back(released(job.records, next));
    answers.back().ledger = session_->receipt();
    next += static_cast<std::ptrdiff_t>(job.records.size());
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
        SOTTO_ASSIGN(const std::vector<LedgerAccount> accounts, accounts_->accounts_of(subject));
        const NanoEpsilon spent = spent_in(accounts, unit);
        known =
            of_subject.emplace(subject, Spending{spent, std::max<NanoEpsilon>(limit_of(options_) - spent, 0)})
                .first;
      }
      answers[i].texts[text].spending = known->second;
    }
  }
  return {};
}

}  // namespace sotto::server
