// How a ledger tells a repeated output of a document from a different one.
#pragma once

#include <array>
#include <string_view>

#include "random/bit_sources.hpp"

namespace sotto::random {

/// The key that authenticates a document's output: BLAKE2b-256 of nothing, keyed by the document's stream key
/// and personalized with "sotto-output-1". It can be kept until there is an output; the noise cannot be
/// derived from it.
Key output_key(const Key& stream_key);

/// BLAKE2b-128 of the released text, keyed by the document's output key and personalized with "sotto-mac-1".
/// Reveals nothing without the run's key.
std::array<unsigned char, 16> output_mac(const Key& output_key, std::string_view output);

}  // namespace sotto::random
