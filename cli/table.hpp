// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace sotto::cli {

struct Column {
  std::string title;
  std::size_t width;  ///< longer texts continue on the next line
};

/// `rows` under the titles, words wrapped within their columns; each row has one text per column.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace sotto::cli
