// The files of a language model as one thing.
#pragma once

#include <filesystem>
#include <string>

#include <sotto/result.hpp>

namespace sotto {

/// The tree hash (see base/tree_hash.hpp) of a list of all files that decide what the model does (settings,
/// vocabularies, weights; in the folder and in the folders in it, where sentence encoders keep some), each
/// with its name and its own tree hash, in the order of their names. A calibration is not among them. The
/// error says so where there is no such folder or no config.json in it.
Result<std::string> folder_digest(const std::filesystem::path& folder);

}  // namespace sotto
