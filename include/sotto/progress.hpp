// Progress and cancellation of long operations.
#pragma once

#include <cstdint>
#include <functional>

namespace sotto {

/// Called periodically with the work done and the total (0: unknown), never by two threads at once. Returning
/// false requests a stop; the operation then fails with Errc::interrupted.
using ProgressCallback = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace sotto
