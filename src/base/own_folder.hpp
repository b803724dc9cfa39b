// Where this code was loaded from.
#pragma once

#include <filesystem>

namespace sotto {

/// The folder of the library that holds this code, or of the program where it is linked into one; empty when
/// unknown. Links are resolved. Thread-safe.
std::filesystem::path own_folder();

}  // namespace sotto
