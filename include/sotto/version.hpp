#pragma once

namespace sotto {

/// Version of these headers; the build system reads it from here.
inline constexpr const char* kVersion = "0.1.0";

/// Version of the linked library. Thread-safe.
const char* library_version();

}  // namespace sotto
