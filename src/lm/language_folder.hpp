// Identifies the files of a language model as a whole.
#pragma once

#include <filesystem>
#include <string>

#include <sotto/result.hpp>

namespace sotto::lm {

/// The tree hash (see base/tree_hash.hpp) of a list of all files that determine what the model does:
/// settings, vocabularies, weights, in the folder and its subfolders, where sentence encoders keep some. Each
/// is listed with its name and its own tree hash, sorted by name. A calibration is not among them. Fails if
/// the folder does not exist or has neither config.json nor modules.json.
Result<std::string> folder_digest(const std::filesystem::path& folder);

}  // namespace sotto::lm
