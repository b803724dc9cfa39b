// Seeds of an experiment. All its randomness derives from the run file's seed and a purpose in words, so that
// two purposes never share their noise and a resumed run draws what an uninterrupted one does.
#pragma once

#include <cstdint>
#include <string_view>

#include "random/bit_sources.hpp"

namespace sotto::evaluate {

/// The key of the draws for `purpose`. Thread-safe.
random::Key experiment_key(std::uint64_t seed, std::string_view purpose);

/// The first 63 bits of that key, for what takes a number. Thread-safe.
std::uint64_t experiment_seed(std::uint64_t seed, std::string_view purpose);

}  // namespace sotto::evaluate
