// The memory of this process, as Linux counts it.
#pragma once

#include <cstdint>

namespace sotto {

/// Bytes of this process that are in memory now; 0 where that cannot be known.
std::uint64_t resident_bytes();

/// The most there were at a time since the start, or since forget_peak().
std::uint64_t peak_resident_bytes();

/// Starts to look for the peak again; false where the system does not allow it.
bool forget_peak();

}  // namespace sotto
