// SQLite with errors as values: a connection and prepared statements. The ledger is the only user.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include <sotto/result.hpp>

namespace sotto::privacy {

/// A prepared statement. Bound values must live until the next reset().
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* statement, std::string file) : statement_(statement), file_(std::move(file)) {}

  /// A failed bind makes the next step() fail.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::span<const unsigned char> bytes);

  /// Returns true if there is a row. After an error or the last row, the statement can be bound again.
  Result<bool> step();
  /// For statements without rows.
  Result<void> run();
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool is_integer(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  /// Valid until the next step() or reset().
  std::string_view text(int column) const;
  /// Copies a blob; returns false if its size differs.
  bool copy(int column, std::span<unsigned char> to) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement& bound(int code);
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string file_;
  int bind_code_ = SQLITE_OK;  // of the first value that could not be bound
};

/// A connection. The file's contents are data, never code: triggers do not fire and views are disabled. Not
/// thread-safe.
class Database {
 public:
  enum class Access { read, write };
  /// No part of the name may be a link. With Access::write the file is created if it does not exist. Waits up
  /// to `wait_seconds` for locks.
  static Result<Database> open(const std::filesystem::path& file, Access access, double wait_seconds);
  /// An empty database that lives as long as the connection.
  static Result<Database> in_memory();

  /// Runs statements without parameters or result rows.
  Result<void> execute(const char* sql);
  Result<Statement> prepare(std::string_view sql);
  /// The first column of the first row.
  Result<std::int64_t> integer(std::string_view sql);
  Result<std::string> text(std::string_view sql);

  /// Whether the file's name no longer refers to it: renamed, replaced or removed since it was opened.
  bool has_moved() const;

  sqlite3* handle() const { return database_.get(); }
  const std::string& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  static Result<Database> open_uri(const std::filesystem::path& file, int flags, const char* query);
  Result<void> distrust_content();
  std::unique_ptr<sqlite3, Close> database_;
  std::string file_;
};

/// The connection's last error as one line that names the file.
tl::unexpected<Error> database_error(sqlite3* database, const std::string& file);

}  // namespace sotto::privacy
