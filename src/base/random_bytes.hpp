// Random bytes from the operating system.
#pragma once

#include <span>

#include <sotto/result.hpp>

namespace sotto::base {

/// Fills `bytes` from getrandom(). There is no fallback: if the system provides none, that is an error, and
/// the bytes filled so far must not be used.
Result<void> fill_random(std::span<unsigned char> bytes);

}  // namespace sotto::base
