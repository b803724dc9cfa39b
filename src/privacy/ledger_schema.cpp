#include "privacy/ledger_schema.hpp"

#include <fmt/format.h>

#include "base/random_bytes.hpp"

namespace sotto {
namespace {

constexpr std::int64_t kApplicationId = 0x534F544C;  // "SOTL"

// Tags are looked up in two tables: new ones go to a small one, which is emptied into the large one now and
// then. A batch would otherwise touch almost every page of an index over keyed hashes, and write them all.
constexpr const char* kTables = R"(
CREATE TABLE state(
  row INTEGER PRIMARY KEY CHECK(row = 1),
  id BLOB NOT NULL,
  entries INTEGER NOT NULL,
  head BLOB NOT NULL,
  recent INTEGER NOT NULL) STRICT;
CREATE TABLE units(
  unit INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE accounts(
  account INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  unit INTEGER NOT NULL REFERENCES units,
  spent INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  UNIQUE(subject, unit)) STRICT;
CREATE TABLE entries(
  entry INTEGER PRIMARY KEY,
  tag BLOB NOT NULL,
  account INTEGER NOT NULL REFERENCES accounts,
  amount INTEGER NOT NULL,
  time INTEGER NOT NULL,
  hash BLOB NOT NULL) STRICT;
CREATE TABLE recent_tags(tag BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE tags(tag BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE withheld(
  dataset TEXT NOT NULL,
  record ANY NOT NULL,
  unit INTEGER NOT NULL REFERENCES units,
  subject TEXT NOT NULL,
  wanted INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  allowed INTEGER NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY(dataset, record, unit)) STRICT, WITHOUT ROWID;
)";

Result<void> create(Database& database) {
  LedgerId id;
  SOTTO_TRY(fill_random(id));
  const ChainHash head = chain_start(id);
  SOTTO_TRY(database.execute(kTables));
  SOTTO_ASSIGN(Statement state, database.prepare("INSERT INTO state VALUES(1, ?, 0, ?, 0)"));
  SOTTO_TRY(state.bind(1, id).bind(2, head).run());
  return database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kLedgerVersion)
          .c_str());
}

}  // namespace

Result<void> check_is_ledger(Database& database) {
  SOTTO_ASSIGN(const std::int64_t application, database.integer("PRAGMA application_id"));
  if (application != kApplicationId)
    return fail(Errc::bad_format, fmt::format("{} is not a ledger", database.file()));
  SOTTO_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version != kLedgerVersion)
    return fail(Errc::bad_format, fmt::format("{} is a ledger of version {}; this program knows version {}",
                                              database.file(), version, kLedgerVersion));
  return {};
}

Result<bool> is_empty_or_ledger(Database& database) {
  SOTTO_ASSIGN(const std::int64_t tables, database.integer("SELECT COUNT(*) FROM sqlite_schema"));
  SOTTO_ASSIGN(const std::int64_t application, database.integer("PRAGMA application_id"));
  if (tables == 0 && application == 0) return true;
  SOTTO_TRY(check_is_ledger(database));
  return false;
}

Result<void> create_or_check_ledger(Database& database) {
  SOTTO_ASSIGN(const bool is_new, is_empty_or_ledger(database));
  SOTTO_ASSIGN(const std::string mode, database.text("PRAGMA journal_mode = WAL"));
  if (mode != "wal")
    return fail(Errc::io,
                fmt::format("{}: this file system cannot hold a ledger; give a file on a local disk",
                            database.file()));
  if (!is_new) return {};
  SOTTO_TRY(database.execute("BEGIN IMMEDIATE"));
  auto created = create(database);
  if (created) created = database.execute("COMMIT");
  if (!created) (void)database.execute("ROLLBACK");
  return created;
}

Result<LedgerState> read_state(Database& database) {
  SOTTO_ASSIGN(Statement row, database.prepare("SELECT id, entries, head, recent FROM state WHERE row = 1"));
  SOTTO_ASSIGN(const bool found, row.step());
  LedgerState state;
  if (!found || !row.copy(0, state.id) || !row.copy(2, state.head))
    return fail(Errc::bad_format, fmt::format("{} is damaged: its state is not there", database.file()));
  state.entries = static_cast<std::uint64_t>(row.integer(1));
  state.recent = static_cast<std::uint64_t>(row.integer(3));
  return state;
}

}  // namespace sotto
