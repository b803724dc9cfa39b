// The version, as text; sotto/version.h has it as numbers.
#pragma once

#include <sotto/api.hpp>
#include <sotto/version.h>

namespace sotto {

/// Version of these headers.
inline constexpr const char* kVersion = SOTTO_VERSION_STRING;

/// Version of the linked library. Thread-safe.
SOTTO_API const char* library_version();

}  // namespace sotto
