// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace sotto::cli {

struct Column {
  std::string title;
  std::size_t width;  ///< longer texts go on in the next line
};

/// `rows` under the titles, words wrapped inside their columns; each row has a text for each column.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace sotto::cli
