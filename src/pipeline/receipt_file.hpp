#pragma once

#include <filesystem>
#include <string>

#include <sotto/result.hpp>

namespace sotto::pipeline {

/// The text of a receipt's file. Refuses a file that is too large for one.
Result<std::string> read_receipt_file(const std::filesystem::path& file);

}  // namespace sotto::pipeline
