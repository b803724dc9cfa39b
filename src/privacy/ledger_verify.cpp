#include "privacy/ledger_verify.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "privacy/ledger_schema.hpp"

namespace sotto {
namespace {

struct Sum {
  NanoEpsilon spent = 0;
  std::int64_t documents = 0;
};

/// Each step returns false when it found a problem; the first one ends the check.
class Verifier {
 public:
  Verifier(Database& database, std::string_view pinned) : database_(database), pinned_(pinned) {}

  Result<LedgerCheck> run() {
    for (const auto step : {&Verifier::check_file, &Verifier::check_chain, &Verifier::check_state,
                            &Verifier::check_accounts, &Verifier::check_tags}) {
      SOTTO_ASSIGN(const bool sound, (this->*step)());
      if (!sound) return check_;
    }
    if (!pinned_.empty() && !check_.pinned_at)
      problem(
          fmt::format("the pinned head {} is not in the chain: entries were changed or removed", pinned_));
    return check_;
  }

 private:
  bool problem(std::string text, std::uint64_t entry = 0) {
    check_.problem = std::move(text);
    check_.bad_entry = entry;
    return false;
  }

  bool bad_entry(std::uint64_t entry, std::string_view what) {
    return problem(fmt::format("entry {}: {}", entry, what), entry);
  }

  Result<bool> check_file() {
    SOTTO_ASSIGN(const std::string answer, database_.text("PRAGMA integrity_check(1)"));
    return answer == "ok" || problem(fmt::format("the file is damaged: {}", answer));
  }

  void note(std::uint64_t entry, const ChainHash& hash) {
    check_.entries = entry;
    check_.head = to_hex(hash);
    if (check_.head == pinned_) check_.pinned_at = entry;
  }

  Result<bool> check_chain() {
    SOTTO_ASSIGN(state_, read_state(database_));
    head_ = chain_start(state_.id);
    note(0, head_);
    SOTTO_ASSIGN(Statement rows,
                 database_.prepare("SELECT entry, tag, subject, name, amount, time, hash, e.account "
                                   "FROM entries e LEFT JOIN accounts a ON a.account = e.account "
                                   "LEFT JOIN units u ON u.unit = a.unit ORDER BY entry"));
    for (;;) {
      SOTTO_ASSIGN(const bool row, rows.step());
      if (!row) return true;
      if (!check_entry(rows)) return false;
    }
  }

  bool check_entry(const Statement& row) {
    ChainLink link{check_.entries + 1, {}, row.text(2), row.text(3), row.integer(4), row.integer(5)};
    ChainHash stored;
    const auto found = static_cast<std::uint64_t>(row.integer(0));
    if (found != link.number) return bad_entry(link.number, fmt::format("missing; the next is {}", found));
    if (!row.copy(1, link.tag) || !row.copy(6, stored))
      return bad_entry(link.number, "tag or hash is damaged");
    head_ = chain_next(head_, link);
    if (head_ != stored)
      return bad_entry(link.number,
                       "its hash does not fit: it, its subject or its unit was changed, or an "
                       "entry before it was exchanged");
    if (link.amount < 0) return bad_entry(link.number, "its amount is negative");
    Sum& sum = sums_[row.integer(7)];
    if (__builtin_add_overflow(sum.spent, link.amount, &sum.spent))
      return bad_entry(link.number, "the sum of its account is too large");
    ++sum.documents;
    note(link.number, head_);
    return true;
  }

  Result<bool> check_state() {
    if (state_.entries != check_.entries)
      return problem(
          fmt::format("there are {} entries where {} were written", check_.entries, state_.entries));
    return state_.head == head_ || problem("the stored head is not that of the last entry");
  }

  Result<bool> check_accounts() {
    SOTTO_ASSIGN(Statement rows,
                 database_.prepare("SELECT account, subject, spent, documents FROM accounts"));
    std::size_t seen = 0;
    for (;;) {
      SOTTO_ASSIGN(const bool row, rows.step());
      if (!row) break;
      const auto sum = sums_.find(rows.integer(0));
      const Sum expected = sum == sums_.end() ? Sum{} : sum->second;
      seen += sum != sums_.end();
      if (expected.spent != rows.integer(2) || expected.documents != rows.integer(3))
        return problem(fmt::format("the account of '{}' says {} for {} documents; its entries say {} for {}",
                                   rows.text(1), to_decimal(rows.integer(2)), rows.integer(3),
                                   to_decimal(expected.spent), expected.documents));
    }
    return seen == sums_.size() || problem("an account that has entries is missing");
  }

  /// A tag without an entry would be released at no charge, a missing one would be charged twice.
  Result<bool> check_tags() {
    SOTTO_ASSIGN(Statement entries, database_.prepare("SELECT tag, entry FROM entries ORDER BY tag"));
    SOTTO_ASSIGN(Statement tags, database_.prepare("SELECT tag FROM tags UNION ALL "
                                                   "SELECT tag FROM recent_tags ORDER BY tag"));
    for (;;) {
      SOTTO_ASSIGN(const bool entry, entries.step());
      SOTTO_ASSIGN(const bool tag, tags.step());
      if (!entry && !tag) return true;
      if (!entry || !tag || entries.text(0) != tags.text(0))
        return problem("the tables of known tags do not match the entries");
    }
  }

  Database& database_;
  const std::string_view pinned_;
  LedgerCheck check_;
  LedgerState state_;
  ChainHash head_{};
  std::unordered_map<std::int64_t, Sum> sums_;  // by account number
};

}  // namespace

Result<LedgerCheck> verify_ledger(Database& database, std::string_view head) {
  auto check = Verifier(database, head).run();
  if (check || check.error().code != Errc::bad_format) return check;
  LedgerCheck damaged;  // SQLite itself could not read on
  damaged.problem = check.error().message;
  return damaged;
}

}  // namespace sotto
