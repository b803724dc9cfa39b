// The files of a language model as one thing.
#pragma once

#include <filesystem>
#include <string>

#include <sotto/result.hpp>

namespace sotto {

/// SHA-256, in hex, of the names and contents of all files in the folder that decide what its model does
/// (settings, vocabularies, weights), in the order of their names. A calibration is not among them. The error
/// says so where there is no such folder or no config.json in it.
Result<std::string> folder_digest(const std::filesystem::path& folder);

}  // namespace sotto
