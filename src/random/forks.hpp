// Tells processes apart that begin with the same keys in memory.
#pragma once

#include <cstdint>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::random {

/// To be called before the fork that shall be noticed. Idempotent, thread-safe.
void watch_forks();

/// How often this process and its ancestors were forked since watch_forks().
std::uint64_t fork_count();

/// Empty where watch_forks() was called first; in each process forked from there, random bytes that no other
/// process has. An error if the system provided none.
Result<std::string_view> fork_tag();

}  // namespace sotto::random
