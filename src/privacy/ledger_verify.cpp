#include "privacy/ledger_verify.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/hash.hpp"
#include "privacy/ledger_schema.hpp"

namespace sotto::privacy {
namespace {

struct Sum {
  NanoEpsilon spent = 0;
  std::int64_t documents = 0;
};

/// Each step returns false if it found a problem; the first one ends the check.
class Verifier {
 public:
  Verifier(Database& database, int version, std::string_view pinned)
      : database_(database), version_(version), pinned_(pinned) {}

  Result<LedgerCheck> run() {
    for (const auto step : {&Verifier::check_file, &Verifier::check_chain, &Verifier::check_state,
                            &Verifier::check_accounts, &Verifier::check_known}) {
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
    check_.head = base::to_hex(hash);
    if (check_.head == pinned_) check_.pinned_at = entry;
  }

  Result<bool> check_chain() {
    SOTTO_ASSIGN(state_, read_state(database_));
    head_ = chain_start(state_.id);
    note(0, head_);
    SOTTO_ASSIGN(Statement rows, database_.prepare(fmt::format(
                                     "SELECT entry, tag, {}, subject, name, amount, time, hash, e.account "
                                     "FROM entries e LEFT JOIN accounts a ON a.account = e.account "
                                     "LEFT JOIN units u ON u.unit = a.unit ORDER BY entry",
                                     mac_column(version_))));
    for (;;) {
      SOTTO_ASSIGN(const bool row, rows.step());
      if (!row) return true;
      if (!check_entry(rows)) return false;
    }
  }

  bool check_entry(const Statement& row) {
    ChainLink link{check_.entries + 1, {}, {}, row.text(3), row.text(4), row.integer(5), row.integer(6)};
    ChainHash stored;
    const auto found = static_cast<std::uint64_t>(row.integer(0));
    if (found != link.number) return bad_entry(link.number, fmt::format("missing; the next is {}", found));
    if (!row.is_null(2)) link.mac.emplace();
    if (!row.copy(1, link.tag) || (link.mac && !row.copy(2, *link.mac)) || !row.copy(7, stored))
      return bad_entry(link.number, "tag, MAC or hash is damaged");
    if (has_macs_ && !link.mac) return bad_entry(link.number, "its MAC is missing");
    has_macs_ = link.mac.has_value();
    head_ = chain_next(head_, link);
    if (head_ != stored)
      return bad_entry(link.number,
                       "its hash does not match: it, its subject or its unit was changed, or an "
                       "earlier entry was replaced");
    if (link.amount < 0) return bad_entry(link.number, "its amount is negative");
    Sum& sum = sums_[row.integer(8)];
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

  /// A known release without an entry would be free of charge; a missing one would be charged twice.
  Result<bool> check_known() {
    const bool tags_only = version_ == 1;
    SOTTO_ASSIGN(Statement entries,
                 database_.prepare(
                     tags_only ? "SELECT tag, NULL FROM entries ORDER BY tag"
                               : "SELECT tag, mac FROM entries WHERE mac IS NOT NULL ORDER BY tag, mac"));
    SOTTO_ASSIGN(Statement known,
                 database_.prepare(tags_only ? "SELECT tag, NULL FROM tags UNION ALL "
                                               "SELECT tag, NULL FROM recent_tags ORDER BY tag"
                                             : "SELECT tag, mac FROM releases UNION ALL "
                                               "SELECT tag, mac FROM recent_releases ORDER BY tag, mac"));
    for (;;) {
      SOTTO_ASSIGN(const bool entry, entries.step());
      SOTTO_ASSIGN(const bool release, known.step());
      if (!entry && !release) return true;
      if (!entry || !release || entries.text(0) != known.text(0) || entries.text(1) != known.text(1))
        return problem("the tables of known releases do not match the entries");
    }
  }

  Database& database_;
  const int version_;
  const std::string_view pinned_;
  LedgerCheck check_;
  LedgerState state_;
  ChainHash head_{};
  bool has_macs_ = false;  // the last entry had one; those of version 1 come first and have none
  std::unordered_map<std::int64_t, Sum> sums_;  // by account number
};

}  // namespace

Result<LedgerCheck> verify_ledger(Database& database, int version, std::string_view head) {
  auto check = Verifier(database, version, head).run();
  if (check || check.error().code != Errc::bad_format) return check;
  LedgerCheck damaged;  // SQLite itself could not continue reading
  damaged.problem = describe(check.error());
  return damaged;
}

}  // namespace sotto::privacy
