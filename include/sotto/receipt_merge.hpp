// Receipts of the partitions of one job, added up.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// The receipt of all that the receipts (as to_json(Receipt) writes them) are about: shards of a file, or
/// partitions of a data set. Counts add up, maxima are maxima, and what follows from them is derived again.
/// So the result is the receipt of the whole, byte for byte, with three exceptions (docs/explaining.md): the
/// heads of ledgers, sums of budgets in their last digits, and how many fields beyond 50 were copied.
///
/// Refuses receipts of different configurations, data sets or programs, naming the member and both values,
/// and each that describe_receipt() refuses or this version of the program did not write. Does not notice
/// that a receipt is given twice: two partitions may well have equal ones. Thread-safe.
SOTTO_API Result<std::string> merge_receipts(std::span<const std::string> receipts);

/// Same for files; errors name them. A file that is given twice is an error. Thread-safe.
SOTTO_API Result<std::string> merge_receipt_files(std::span<const std::filesystem::path> receipts);

/// Writes a merged receipt, whole or not at all. Refuses to overwrite one of the receipts. Thread-safe.
SOTTO_API Result<void> write_merged_receipt(std::string_view merged,
                                            std::span<const std::filesystem::path> receipts,
                                            const std::filesystem::path& output);

}  // namespace sotto
