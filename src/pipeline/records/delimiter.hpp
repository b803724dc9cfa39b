// Finds what separates the columns of a CSV file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::pipeline {

/// The delimiter under which the header at the start of `data` has all the named columns: the comma if it is
/// one of these. If there is none, the one that gives the most columns. Empty if more data is needed to tell;
/// `at_end` says that there is none.
std::optional<char> delimiter_of_header(std::string_view data, bool at_end,
                                        const std::vector<std::string>& names);

/// The only delimiter under which all records of `sample`, the start of a file without a header, have the
/// same number of columns, and at least `columns`. If several do, the error says so, because part of a text
/// would be taken for another column. `input` is for messages.
Result<char> delimiter_of_records(std::string_view sample, bool at_end, std::size_t columns,
                                  std::string_view input);

}  // namespace sotto::pipeline
