// Random bytes of the operating system.
#pragma once

#include <span>

#include <sotto/result.hpp>

namespace sotto {

/// Fills `bytes` from getrandom(). There is nothing to fall back on: where the system gives none, it is an
/// error, and what was filled so far must not be used.
Result<void> fill_random(std::span<unsigned char> bytes);

}  // namespace sotto
