// Where this code was loaded from.
#pragma once

#include <filesystem>

namespace sotto::base {

/// The folder of the library that contains this code, or of the program if it is linked statically; empty if
/// unknown. Symbolic links are resolved. Thread-safe.
std::filesystem::path own_folder();

}  // namespace sotto::base
