#include "privacy/sqlite.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace sotto::privacy {
namespace {

constexpr double kLongestWait = 1e6;  // in seconds; in milliseconds this fits into an int

/// A file name as an SQLite URI.
std::string to_uri(const std::filesystem::path& file, const char* query) {
  std::string uri = "file:";
  for (const char byte : file.string()) {
    if (byte == '%' || byte == '?' || byte == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(byte));
    else
      uri += byte;
  }
  return uri + query;
}

std::string reason(sqlite3* database) {
  const int number = sqlite3_system_errno(database);
  return number != 0 ? std::strerror(number) : sqlite3_errmsg(database);
}

}  // namespace

tl::unexpected<Error> database_error(sqlite3* database, const std::string& file) {
  switch (sqlite3_errcode(database)) {
    case SQLITE_NOTADB:
      return fail(Errc::bad_format, fmt::format("{} is not a ledger", file));
    case SQLITE_CORRUPT:
      return fail(Errc::bad_format, fmt::format("{} is damaged: {}", file, sqlite3_errmsg(database)));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Errc::io, fmt::format("{} is locked by another process", file));
    case SQLITE_FULL:
      return fail(Errc::io, fmt::format("cannot write {}: the disk is full", file));
    case SQLITE_READONLY:
      return fail(Errc::io, fmt::format("cannot write {}: it or its folder is read-only", file));
    case SQLITE_CANTOPEN:
      return fail(Errc::io, fmt::format("cannot open {}: {}", file, reason(database)));
    case SQLITE_IOERR:
      return fail(Errc::io, fmt::format("cannot read or write {}: {}", file, reason(database)));
    case SQLITE_NOMEM:
      return fail(Errc::limit, fmt::format("{}: out of memory", file));
    default:
      return fail(Errc::bad_format, fmt::format("{}: {}", file, sqlite3_errmsg(database)));
  }
}

Statement& Statement::bound(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
  return *this;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bind_code_ = SQLITE_OK;
}

Statement& Statement::bind(int index, std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_.get(), index, value));
}

Statement& Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL.
  return bound(sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::bind(int index, std::span<const unsigned char> bytes) {
  return bound(sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) {
    auto error = fail(Errc::limit, fmt::format("{}: {}", file_, sqlite3_errstr(bind_code_)));
    reset();
    return error;
  }
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  auto error = database_error(sqlite3_db_handle(statement_.get()), file_);
  reset();
  return error;
}

Result<void> Statement::run() {
  SOTTO_TRY(step());
  return {};
}

std::string_view Statement::text(int column) const {
  const void* const data = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
}

bool Statement::copy(int column, std::span<unsigned char> to) const {
  const void* const data = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  if (data == nullptr || size != to.size()) return false;
  std::memcpy(to.data(), data, size);
  return true;
}

Result<Database> Database::open_uri(const std::filesystem::path& file, int flags, const char* query) {
  Database database;
  database.file_ = file.string();
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(to_uri(file, query).c_str(), &handle,
                      flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nullptr);
  database.database_.reset(handle);
  if (code != SQLITE_OK) return database_error(handle, database.file_);
  SOTTO_TRY(database.distrust_content());
  return database;
}

Result<void> Database::distrust_content() {
  const std::pair<int, int> settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                          {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                          {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                          {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
  for (const auto& [setting, value] : settings)
    if (sqlite3_db_config(handle(), setting, value, nullptr) != SQLITE_OK)
      return database_error(handle(), file_);
  return execute("PRAGMA cell_size_check = ON");
}

Result<Database> Database::in_memory() {
  return open_uri(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "");
}

bool Database::has_moved() const {
  int moved = 0;
  return sqlite3_file_control(handle(), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

Result<Database> Database::open(const std::filesystem::path& file, Access access, double wait_seconds) {
  const bool write = access == Access::write;
  // A reader also opens for writing if it may: only then does closing it clean up the log's files.
  SOTTO_ASSIGN(
      Database database,
      open_uri(file, write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE, ""));
  sqlite3_busy_timeout(database.handle(), static_cast<int>(1000 * std::min(wait_seconds, kLongestWait)));
  if (write) return database;
  // On a read-only medium SQLite cannot create the shared memory that a write-ahead log needs. Without a log
  // nobody is writing, and the file can be read directly.
  std::error_code ignored;
  if (!database.integer("PRAGMA schema_version") &&
      !std::filesystem::exists(file.string() + "-wal", ignored) &&
      sqlite3_errcode(database.handle()) == SQLITE_CANTOPEN)
    return open_uri(file, SQLITE_OPEN_READONLY, "?immutable=1");
  SOTTO_TRY(database.execute("PRAGMA query_only = ON"));
  return database;
}

Result<void> Database::execute(const char* sql) {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_error(handle(), file_);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement, nullptr) != SQLITE_OK)
    return database_error(handle(), file_);
  return Statement(statement, file_);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  SOTTO_ASSIGN(Statement statement, prepare(sql));
  SOTTO_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Result<std::string> Database::text(std::string_view sql) {
  SOTTO_ASSIGN(Statement statement, prepare(sql));
  SOTTO_ASSIGN(const bool row, statement.step());
  return row ? std::string(statement.text(0)) : std::string();
}

}  // namespace sotto::privacy
