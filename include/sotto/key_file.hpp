// Key files.
#pragma once

#include <filesystem>
#include <string>

namespace sotto {

/// A sentence when other users may read or replace the key file, for the front end to say; empty when all is
/// well, and for what is no regular file.
std::string key_file_warning(const std::filesystem::path& file);

}  // namespace sotto
