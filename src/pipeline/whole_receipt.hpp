// A receipt read back whole, so that it can be written again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <sotto/receipt.hpp>

namespace sotto::pipeline {

/// The inverse of to_json(Receipt), as far as that is possible: writing the result gives `json` again.
/// Returns an error if this program writes no such receipt, or read_receipt() refuses it.
Result<Receipt> read_whole_receipt(std::string_view json);

/// A member as messages name it: "counts.documents" for "/counts/documents".
std::string member_name(std::string_view path);

/// A member in which two receipts (parsed JSON) differ: "'counts.documents' is 3 and 4". Empty if
/// they are equal.
std::string difference_between(const nlohmann::json& a, const nlohmann::json& b);

/// The counts that a receipt shows, by their paths in it.
struct ShownCount {
  const char* path;
  std::uint64_t Counts::*member;
};
std::span<const ShownCount> shown_counts();

}  // namespace sotto::pipeline
