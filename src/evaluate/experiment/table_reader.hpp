// Whole tables in memory: CSV, TSV, JSON lines and JSON arrays, plain or compressed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

namespace sotto::evaluate {

struct Table {
  std::string file;  ///< for messages
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `names`

  /// The index of a column, or an error that lists the existing columns.
  Result<std::size_t> column(std::string_view name) const;
};

/// What is known about a table besides its format.
struct TableHints {
  std::optional<char> delimiter;     ///< of CSV; empty: found by the header and `columns`, otherwise a comma
  std::vector<std::string> columns;  ///< that are needed; for JSON they may be JSON Pointers
};

/// Reads a table. Without a header, `names` are the column names. For JSON the members of the first object
/// are the columns, besides the pointers among the hints, and the other objects must have them; numbers and
/// booleans are taken as written, null as empty. A record with a different number of columns is an error that
/// names it.
Result<Table> read_table(const std::filesystem::path& file, Format format, bool header,
                         const std::vector<std::string>& names, const TableHints& hints = {});

}  // namespace sotto::evaluate
