// Key files.
#pragma once

#include <filesystem>
#include <string>

#include <sotto/api.hpp>

namespace sotto {

/// A warning for the front end to show if users other than the owner have any access to the key file; empty
/// if they have none, and for anything but a regular file. Thread-safe.
SOTTO_API std::string key_file_warning(const std::filesystem::path& file);

}  // namespace sotto
