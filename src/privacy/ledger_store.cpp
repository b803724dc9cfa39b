#include "privacy/ledger_store.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "privacy/ledger_file.hpp"
#include "privacy/ledger_lock.hpp"
#include "privacy/ledger_schema.hpp"
#include "privacy/nano_epsilon.hpp"
#include "privacy/sqlite.hpp"

namespace sotto::privacy {
namespace {

// Rows of recent_releases before they are moved: the more, the fewer pages each moved row costs; the fewer,
// the smaller the table that every batch mostly rewrites.
constexpr std::uint64_t kMostRecent = 1 << 17;

// Pages in the write-ahead log before they are copied into the database (32 MB).
constexpr int kCheckpointPages = 8192;

struct Statements {
  Statement is_known, find_account, add_account, update_account, add_entry, add_release, remove_release,
      withhold, unwithhold, add_name, remove_name, find_unit, add_unit, find_hash, set_state;

  Result<void> prepare(Database& database) {
    const std::pair<Statement*, const char*> all[] = {
        {&is_known, "SELECT 1 FROM releases WHERE tag = ? AND mac = ?"},
        {&find_account, "SELECT account, spent, documents FROM accounts WHERE subject = ? AND unit = ?"},
        {&add_account, "INSERT INTO accounts VALUES(?, ?, ?, ?, ?)"},
        {&update_account, "UPDATE accounts SET spent = ?2, documents = ?3 WHERE account = ?1"},
        {&add_entry, "INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?)"},
        {&add_release, "INSERT OR IGNORE INTO recent_releases VALUES(?, ?)"},
        {&remove_release, "DELETE FROM recent_releases WHERE tag = ? AND mac = ?"},
        {&withhold, "INSERT OR REPLACE INTO withheld VALUES(?, ?, ?, ?, ?, ?, ?, ?)"},
        {&unwithhold, "DELETE FROM withheld WHERE dataset = ? AND record = ? AND unit = ?"},
        {&add_name, "INSERT OR IGNORE INTO names VALUES(?)"},
        {&remove_name, "DELETE FROM names WHERE name = ?"},
        {&find_unit, "SELECT unit FROM units WHERE name = ?"},
        {&add_unit, "INSERT INTO units(name) VALUES(?)"},
        {&find_hash, "SELECT hash FROM entries WHERE entry = ?"},
        {&set_state, "UPDATE state SET entries = ?, head = ?, recent = ?"},
    };
    for (const auto& [statement, sql] : all) {
      SOTTO_ASSIGN(*statement, database.prepare(sql));
    }
    return {};
  }
};

/// An account's state inside the transaction.
struct OpenAccount {
  std::int64_t number = 0;
  NanoEpsilon spent = 0;
  std::int64_t documents = 0;
  bool is_new = false;
  bool changed = false;
};

/// The work of one transaction.
class Batch {
 public:
  Batch(Database& database, Statements& statements, const LedgerTerms& terms, const LedgerState& state)
      : database_(database), sql_(statements), terms_(terms), state_(state) {}

  Result<void> run(std::span<LedgerRequest> requests) {
    SOTTO_ASSIGN(const std::int64_t any_old, database_.integer("SELECT EXISTS(SELECT 1 FROM releases)"));
    has_old_ = any_old != 0;
    SOTTO_TRY(find_unit());
    SOTTO_ASSIGN(next_account_, database_.integer("SELECT 1 + COALESCE(MAX(account), 0) FROM accounts"));
    SOTTO_ASSIGN(const std::int64_t any_withheld, database_.integer("SELECT EXISTS(SELECT 1 FROM withheld)"));
    SOTTO_TRY(add_releases(requests));
    for (LedgerRequest& request : requests) {
      SOTTO_TRY(decide(request));
      if (request.settled == Settled::released && any_withheld != 0) SOTTO_TRY(forget_withheld(request));
    }
    SOTTO_TRY(remove_releases_of_withheld());
    SOTTO_TRY(write_accounts());
    if (state_.recent > kMostRecent) SOTTO_TRY(move_recent());
    return sql_.set_state.bind(1, static_cast<std::int64_t>(state_.entries))
        .bind(2, state_.head)
        .bind(3, static_cast<std::int64_t>(state_.recent))
        .run();
  }

  const LedgerState& state() const { return state_; }
  const LedgerTotals& totals() const { return totals_; }

 private:
  using Release = std::pair<DocumentTag, OutputMac>;

  /// The documents of the batch that form one release, usually a single one.
  struct Group {
    Release release;
    bool charged;  // already in the ledger, or entered by this batch
    bool is_new;   // added by this batch
  };

  Result<void> find_unit() {
    SOTTO_ASSIGN(const bool found, sql_.find_unit.bind(1, terms_.unit).step());
    if (found) {
      unit_ = sql_.find_unit.integer(0);
      sql_.find_unit.reset();
      return {};
    }
    SOTTO_TRY(sql_.add_unit.bind(1, terms_.unit).run());
    unit_ = sqlite3_last_insert_rowid(database_.handle());
    return {};
  }

  Result<void> decide(LedgerRequest& request) {
    const NanoEpsilon cost = find_fresh(request);
    SOTTO_ASSIGN(const std::size_t noted, note_names(request));
    if (terms_.refuse_repeats && noted < request.names.size()) {
      request.settled = Settled::repeated;
      return forget_names(request, noted);
    }
    request.settled = Settled::released;
    if (!fresh_.empty()) {
      SOTTO_ASSIGN(OpenAccount* const account, open_account(request.subject));
      if (account->spent > terms_.limit || cost > terms_.limit - account->spent) {
        request.settled = Settled::withheld;
        ++totals_.withheld;
        SOTTO_TRY(forget_names(request, noted));
        return withhold(request, *account, cost);
      }
      for (const LedgerDocument* document : fresh_) SOTTO_TRY(enter(*document, request.subject, *account));
      for (Group* group : fresh_groups_) group->charged = true;
    }
    totals_.charged += fresh_.size();
    totals_.repeated += request.documents.size() - fresh_.size();
    return {};
  }

  /// Finds the documents of the record that are not paid for, and returns what they cost.
  NanoEpsilon find_fresh(const LedgerRequest& request) {
    fresh_.clear();
    fresh_groups_.clear();
    NanoEpsilon cost = 0;
    for (const LedgerDocument& document : request.documents) {
      Group& group = groups_[group_of_[next_document_++]];
      if (group.charged ||
          std::find(fresh_groups_.begin(), fresh_groups_.end(), &group) != fresh_groups_.end())
        continue;
      fresh_.push_back(&document);
      fresh_groups_.push_back(&group);
      cost = saturating_sum(cost, document.amount);
    }
    return cost;
  }

  /// Notes the names of a record up to the first that is already noted, and returns how many those are.
  Result<std::size_t> note_names(const LedgerRequest& request) {
    if (!terms_.refuse_repeats) return std::size_t{0};
    for (std::size_t i = 0; i < request.names.size(); ++i) {
      SOTTO_TRY(sql_.add_name.bind(1, request.names[i]).run());
      if (sqlite3_changes(database_.handle()) == 0) return i;
    }
    return request.names.size();
  }

  Result<void> forget_names(const LedgerRequest& request, std::size_t noted) {
    for (const DocumentNameTag& name : request.names.first(noted))
      SOTTO_TRY(sql_.remove_name.bind(1, name).run());
    return {};
  }

  /// Enters the releases of all documents in tag order, because neighbours in the table share pages. Those of
  /// documents that are not released after all are removed at the end.
  Result<void> add_releases(std::span<const LedgerRequest> requests) {
    std::vector<std::pair<Release, std::uint32_t>> all;
    for (const LedgerRequest& request : requests)
      for (const LedgerDocument& document : request.documents)
        all.emplace_back(Release(document.tag, document.mac), static_cast<std::uint32_t>(all.size()));
    std::sort(all.begin(), all.end());
    group_of_.resize(all.size());
    for (const auto& [release, place] : all) {
      if (groups_.empty() || groups_.back().release != release) {
        SOTTO_ASSIGN(const bool is_new, add_release(release));
        groups_.push_back({release, !is_new, is_new});
      }
      group_of_[place] = static_cast<std::uint32_t>(groups_.size() - 1);
    }
    return {};
  }

  /// Returns false if it is already in the ledger.
  Result<bool> add_release(const Release& release) {
    const auto& [tag, mac] = release;
    if (has_old_) {
      SOTTO_ASSIGN(const bool found, sql_.is_known.bind(1, tag).bind(2, mac).step());
      sql_.is_known.reset();
      if (found) return false;
    }
    SOTTO_TRY(sql_.add_release.bind(1, tag).bind(2, mac).run());
    return sqlite3_changes(database_.handle()) > 0;
  }

  Result<void> remove_releases_of_withheld() {
    for (const auto& [release, charged, is_new] : groups_)
      if (is_new && !charged)
        SOTTO_TRY(sql_.remove_release.bind(1, release.first).bind(2, release.second).run());
    return {};
  }

  Result<OpenAccount*> open_account(std::string_view subject) {
    const auto [place, inserted] = accounts_.try_emplace(std::string(subject));
    OpenAccount& account = place->second;
    if (!inserted) return &account;
    SOTTO_ASSIGN(const bool found, sql_.find_account.bind(1, subject).bind(2, unit_).step());
    if (found) {
      account.number = sql_.find_account.integer(0);
      account.spent = sql_.find_account.integer(1);
      account.documents = sql_.find_account.integer(2);
      sql_.find_account.reset();
      if (account.spent < 0 || account.documents < 0)
        return fail(Errc::bad_format,
                    fmt::format("{} is damaged: an account is below zero", database_.file()));
    } else {
      account.is_new = true;
    }
    return &account;
  }

  Result<void> enter(const LedgerDocument& document, std::string_view subject, OpenAccount& account) {
    if (account.number == 0) account.number = next_account_++;
    ++state_.entries;
    ++state_.recent;
    state_.head = chain_next(state_.head, {state_.entries, document.tag, document.mac, subject, terms_.unit,
                                           document.amount, terms_.now.count()});
    SOTTO_TRY(sql_.add_entry.bind(1, static_cast<std::int64_t>(state_.entries))
                  .bind(2, document.tag)
                  .bind(3, account.number)
                  .bind(4, document.amount)
                  .bind(5, std::int64_t{terms_.now.count()})
                  .bind(6, state_.head)
                  .bind(7, document.mac)
                  .run());
    account.spent += document.amount;
    ++account.documents;
    account.changed = true;
    return {};
  }

  static void bind_record(Statement& statement, int index, const LedgerRequest& request) {
    if (request.id)
      statement.bind(index, *request.id);
    else
      statement.bind(index, static_cast<std::int64_t>(request.record + 1));
  }

  Result<void> withhold(const LedgerRequest& request, const OpenAccount& account, NanoEpsilon cost) {
    Statement& row = sql_.withhold;
    row.bind(1, request.dataset);
    bind_record(row, 2, request);
    return row.bind(3, unit_)
        .bind(4, request.subject)
        .bind(5, cost)
        .bind(6, account.spent)
        .bind(7, terms_.limit)
        .bind(8, std::int64_t{terms_.now.count()})
        .run();
  }

  Result<void> forget_withheld(const LedgerRequest& request) {
    sql_.unwithhold.bind(1, request.dataset);
    bind_record(sql_.unwithhold, 2, request);
    return sql_.unwithhold.bind(3, unit_).run();
  }

  Result<void> write_accounts() {
    // In number order, so that rows of new accounts are appended.
    std::vector<const std::pair<const std::string, OpenAccount>*> changed;
    for (const auto& entry : accounts_)
      if (entry.second.changed) changed.push_back(&entry);
    std::sort(changed.begin(), changed.end(),
              [](const auto* a, const auto* b) { return a->second.number < b->second.number; });
    for (const auto* entry : changed) {
      const auto& [subject, account] = *entry;
      if (account.is_new)
        SOTTO_TRY(sql_.add_account.bind(1, account.number)
                      .bind(2, std::string_view(subject))
                      .bind(3, unit_)
                      .bind(4, account.spent)
                      .bind(5, account.documents)
                      .run());
      else
        SOTTO_TRY(sql_.update_account.bind(1, account.number)
                      .bind(2, account.spent)
                      .bind(3, account.documents)
                      .run());
    }
    return {};
  }

  Result<void> move_recent() {
    state_.recent = 0;
    return database_.execute(
        "INSERT INTO releases SELECT tag, mac FROM recent_releases ORDER BY tag, mac;"
        "DELETE FROM recent_releases");
  }

  Database& database_;
  Statements& sql_;
  const LedgerTerms& terms_;
  LedgerState state_;
  LedgerTotals totals_;
  bool has_old_ = true;  // whether the table `releases` is worth searching
  std::int64_t unit_ = 0;
  std::int64_t next_account_ = 1;
  std::unordered_map<std::string, OpenAccount> accounts_;  // by subject
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // for each document of the batch
  std::size_t next_document_ = 0;        // within the batch
  std::vector<Group*> fresh_groups_;
  std::vector<const LedgerDocument*> fresh_;  // of the record being decided
};

}  // namespace

struct LedgerStore::Impl {
  LedgerLock lock;
  Database database;
  Statements statements;
  LedgerState state;
  LedgerTotals totals;
  int log_pages = 0;

  Result<void> open(const std::filesystem::path& typed, double wait_seconds) {
    SOTTO_ASSIGN(const std::filesystem::path file, find_ledger(typed, true));
    std::error_code ignored;
    if (std::filesystem::file_size(file, ignored) > 0 && !ignored) {
      // A stranger's file is refused before anything is created next to it.
      SOTTO_ASSIGN(Database there, Database::open(file, Database::Access::read, wait_seconds));
      SOTTO_TRY(is_empty_or_ledger(there));
    }
    SOTTO_TRY(make_ledger_file(file));
    SOTTO_ASSIGN(lock, LedgerLock::open(file, wait_seconds));
    SOTTO_TRY(lock.acquire());
    auto opened = open_database(file, wait_seconds);
    lock.release();
    return opened;
  }

  Result<void> open_database(const std::filesystem::path& file, double wait_seconds) {
    SOTTO_ASSIGN(database, Database::open(file, Database::Access::write, wait_seconds));
    SOTTO_TRY(make_or_upgrade_ledger(database));
    // FULL: a transaction is on disk when COMMIT returns. Checkpoints happen only under the lock.
    SOTTO_TRY(database.execute(
        "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -32768"));
    sqlite3_wal_hook(
        database.handle(),
        [](void* pages, sqlite3*, const char*, int count) {
          *static_cast<int*>(pages) = count;
          return SQLITE_OK;
        },
        &log_pages);
    SOTTO_TRY(statements.prepare(database));
    SOTTO_ASSIGN(state, read_state(database));
    return check_holds_state();
  }

  /// Returns an error unless the entries up to the last one known here are unchanged, as shown by its hash.
  Result<void> check_holds_state() {
    ChainHash last = chain_start(state.id);
    bool found = true;
    if (state.entries > 0) {
      SOTTO_TRY(statements.find_hash.bind(1, static_cast<std::int64_t>(state.entries)).step());
      found = statements.find_hash.copy(0, last);
      statements.find_hash.reset();
    }
    if (found && last == state.head) return {};
    return fail(Errc::bad_format,
                fmt::format("{} is damaged, or an older copy took its place: entry {} is not what it was",
                            database.file(), state.entries));
  }

  /// Charges in a file that nobody can find any more would be lost.
  Result<void> check_in_place() const {
    if (!database.has_moved()) return {};
    return fail(Errc::io,
                fmt::format("{} was moved, replaced or removed while it was in use", database.file()));
  }

  Result<void> charge(std::span<LedgerRequest> requests, const LedgerTerms& terms) {
    SOTTO_TRY(check_in_place());
    SOTTO_TRY(database.execute("BEGIN IMMEDIATE"));
    Result<void> done = charge_in_transaction(requests, terms);
    if (!done) {
      (void)database.execute("ROLLBACK");  // fails if SQLite has already rolled back
      return done;
    }
    SOTTO_TRY(check_in_place());
    // Whatever could not be copied now is copied later; nothing is lost.
    if (log_pages > kCheckpointPages)
      (void)sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                      nullptr);
    return {};
  }

  Result<void> charge_in_transaction(std::span<LedgerRequest> requests, const LedgerTerms& terms) {
    SOTTO_TRY(check_holds_state());
    SOTTO_ASSIGN(const LedgerState now, read_state(database));
    Batch batch(database, statements, terms, now);
    SOTTO_TRY(batch.run(requests));
    SOTTO_TRY(database.execute("COMMIT"));
    state = batch.state();
    totals.charged += batch.totals().charged;
    totals.repeated += batch.totals().repeated;
    totals.withheld += batch.totals().withheld;
    return {};
  }
};

LedgerStore::LedgerStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LedgerStore::~LedgerStore() {
  // Closing the last connection copies the log into the database, which must happen under the lock. If
  // another process holds the lock, this connection is not the last.
  const bool locked = impl_->lock.try_acquire().value_or(false);
  impl_->statements = {};
  impl_->database = {};
  if (locked) impl_->lock.release();
}

Result<std::unique_ptr<LedgerStore>> LedgerStore::open(const std::filesystem::path& file,
                                                       double wait_seconds) {
  auto impl = std::make_unique<Impl>();
  SOTTO_TRY(impl->open(file, wait_seconds));
  return std::unique_ptr<LedgerStore>(new LedgerStore(std::move(impl)));
}

void LedgerStore::while_waiting(std::function<bool()> go_on) {
  impl_->lock.while_waiting(std::move(go_on));
}

Result<void> LedgerStore::charge(std::span<LedgerRequest> requests, const LedgerTerms& terms) {
  SOTTO_TRY(impl_->lock.acquire());
  Result<void> done = impl_->charge(requests, terms);
  impl_->lock.release();
  return done;
}

const LedgerId& LedgerStore::id() const {
  return impl_->state.id;
}

const LedgerTotals& LedgerStore::totals() const {
  return impl_->totals;
}

std::uint64_t LedgerStore::entries() const {
  return impl_->state.entries;
}

const ChainHash& LedgerStore::head() const {
  return impl_->state.head;
}

}  // namespace sotto::privacy
