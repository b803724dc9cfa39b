// The memory of this process, as Linux counts it.
#pragma once

#include <cstdint>

namespace sotto::evaluate {

/// The resident set size of this process in bytes; 0 if unknown.
std::uint64_t resident_bytes();

/// Its maximum since the start, or since forget_peak().
std::uint64_t peak_resident_bytes();

/// Resets the peak; false if the system does not allow it.
bool forget_peak();

}  // namespace sotto::evaluate
