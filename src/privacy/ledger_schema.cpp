#include "privacy/ledger_schema.hpp"

#include <array>

#include <fmt/format.h>

#include "base/random_bytes.hpp"

namespace sotto::privacy {
namespace {

constexpr std::int64_t kApplicationId = 0x534F544C;  // "SOTL"

constexpr const char* kSchemaVersion1 = R"(
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

// An entry's output has a MAC; entries of version 1 have none, so none of their tags counts as known any
// longer. Known releases are looked up in two tables: new ones go into a small one, which is flushed into the
// large one from time to time. Otherwise a batch would touch, and write, almost every page of an index over
// keyed hashes.
constexpr const char* kFromVersion1To2 = R"(
ALTER TABLE entries ADD COLUMN mac BLOB;
DROP TABLE recent_tags;
DROP TABLE tags;
CREATE TABLE recent_releases(tag BLOB, mac BLOB, PRIMARY KEY(tag, mac)) STRICT, WITHOUT ROWID;
CREATE TABLE releases(tag BLOB, mac BLOB, PRIMARY KEY(tag, mac)) STRICT, WITHOUT ROWID;
UPDATE state SET recent = 0;
PRAGMA user_version = 2;
)";

// Names of documents, for runs that refuse repeats.
constexpr const char* kFromVersion2To3 = R"(
CREATE TABLE names(name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA user_version = 3;
)";

/// kUpgrades[i] leads from version i + 1 to the next.
constexpr std::array kUpgrades = {kFromVersion1To2, kFromVersion2To3};
static_assert(kLedgerVersion == kUpgrades.size() + 1, "a script leads from each version to the next");

Result<void> upgrade(Database& database, int from, int to) {
  for (; from < to; ++from) SOTTO_TRY(database.execute(kUpgrades[static_cast<std::size_t>(from - 1)]));
  return {};
}

/// The tables of a version, empty. A new ledger takes the same path as an old one, so that both end up with
/// the same schema.
Result<void> make_tables(Database& database, int version) {
  SOTTO_TRY(database.execute(kSchemaVersion1));
  return upgrade(database, 1, version);
}

Result<void> create(Database& database) {
  LedgerId id;
  SOTTO_TRY(base::fill_random(id));
  const ChainHash head = chain_start(id);
  SOTTO_TRY(make_tables(database, kLedgerVersion));
  SOTTO_ASSIGN(Statement state, database.prepare("INSERT INTO state VALUES(1, ?, 0, ?, 0)"));
  SOTTO_TRY(state.bind(1, id).bind(2, head).run());
  return database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
}

/// SQL as SQLite stores it keeps the author's spaces, and versions of SQLite differ in those they add.
std::string without_needless_spaces(std::string_view sql) {
  std::string text;
  bool space = false;
  for (const char byte : sql) {
    if (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') {
      space = true;
      continue;
    }
    const bool apart = byte == '(' || byte == ')' || byte == ',';
    const bool after = text.empty() || text.back() == '(' || text.back() == ')' || text.back() == ',';
    if (space && !apart && !after) text += ' ';
    space = false;
    text += byte;
  }
  return text;
}

/// Everything the database consists of, as one text.
Result<std::string> schema_of(Database& database) {
  SOTTO_ASSIGN(std::string all, database.text("PRAGMA encoding"));
  SOTTO_ASSIGN(Statement rows,
               database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"));
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return all;
    all += fmt::format("\n{} {} {} {}", rows.text(0), rows.text(1), rows.text(2),
                       without_needless_spaces(rows.text(3)));
  }
}

/// A file from a stranger may contain its own triggers, constraints or collations that lose a charge.
Result<void> check_schema(Database& database, int version) {
  SOTTO_ASSIGN(Database model, Database::in_memory());
  SOTTO_TRY(make_tables(model, version));
  SOTTO_ASSIGN(const std::string expected, schema_of(model));
  SOTTO_ASSIGN(const std::string found, schema_of(database));
  if (found == expected) return {};
  return fail(Errc::bad_format,
              fmt::format("{} is not a ledger: its tables, indexes or triggers are not those of version {}",
                          database.file(), version));
}

/// Creates the tables, or upgrades those of an older version.
Result<void> create_or_upgrade(Database& database, std::optional<int> version) {
  if (version == kLedgerVersion) return {};
  SOTTO_TRY(database.execute("BEGIN IMMEDIATE"));
  auto done = version ? upgrade(database, *version, kLedgerVersion) : create(database);
  if (done) done = database.execute("COMMIT");
  if (!done) (void)database.execute("ROLLBACK");
  return done;
}

}  // namespace

Result<int> check_is_ledger(Database& database) {
  SOTTO_ASSIGN(const std::int64_t application, database.integer("PRAGMA application_id"));
  if (application != kApplicationId)
    return fail(Errc::bad_format, fmt::format("{} is not a ledger", database.file()));
  SOTTO_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version < 1 || version > kLedgerVersion)
    return fail(Errc::bad_format,
                fmt::format("{} is a ledger of version {}; this program knows versions 1 to {}",
                            database.file(), version, kLedgerVersion));
  SOTTO_TRY(check_schema(database, static_cast<int>(version)));
  return static_cast<int>(version);
}

Result<std::optional<int>> is_empty_or_ledger(Database& database) {
  SOTTO_ASSIGN(const std::int64_t tables, database.integer("SELECT COUNT(*) FROM sqlite_schema"));
  SOTTO_ASSIGN(const std::int64_t application, database.integer("PRAGMA application_id"));
  if (tables == 0 && application == 0) return std::nullopt;
  SOTTO_ASSIGN(const int version, check_is_ledger(database));
  return version;
}

Result<void> make_or_upgrade_ledger(Database& database) {
  SOTTO_ASSIGN(const std::optional<int> version, is_empty_or_ledger(database));
  SOTTO_ASSIGN(const std::string mode, database.text("PRAGMA journal_mode = WAL"));
  if (mode != "wal")
    return fail(Errc::io,
                fmt::format("{}: this file system cannot hold a ledger; give a file on a local disk",
                            database.file()));
  return create_or_upgrade(database, version);
}

Result<LedgerState> read_state(Database& database) {
  SOTTO_ASSIGN(Statement row, database.prepare("SELECT id, entries, head, recent FROM state WHERE row = 1"));
  SOTTO_ASSIGN(const bool found, row.step());
  LedgerState state;
  if (!found || !row.copy(0, state.id) || !row.copy(2, state.head))
    return fail(Errc::bad_format, fmt::format("{} is damaged: its state is not there", database.file()));
  if (row.integer(1) < 0 || row.integer(3) < 0)
    return fail(Errc::bad_format, fmt::format("{} is damaged: its state counts below zero", database.file()));
  state.entries = static_cast<std::uint64_t>(row.integer(1));
  state.recent = static_cast<std::uint64_t>(row.integer(3));
  return state;
}

}  // namespace sotto::privacy
