// Whole tables in memory: CSV, TSV and JSON lines, plain or packed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct Table {
  std::string file;  ///< for messages
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `names`

  /// The place of a column, or an error that lists the columns there are.
  Result<std::size_t> column(std::string_view name) const;
};

/// Reads a table. Without a header `names` are those of the columns. Of JSON lines the members of the first
/// object are the columns, and the others must have them; numbers and truth values count as they are
/// written, null as empty. A record with another number of columns is an error that names it.
Result<Table> read_table(const std::filesystem::path& file, Format format, bool header,
                         const std::vector<std::string>& names);

}  // namespace sotto
