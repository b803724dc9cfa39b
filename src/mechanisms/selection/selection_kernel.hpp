// Inner products of one vector with a few others, compiled for every instruction set Highway supports and
// selected at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::mechanism {

/// out[i] = the inner product of `from` and rows[i], `dimension` integers each. Every sum of products must
/// fit into 32 bits, which holds for vectors no longer than kLargestNorm.
void inner_products(const std::int16_t* from, const std::int16_t* const* rows, std::size_t count,
                    std::size_t dimension, std::int32_t* out);

}  // namespace sotto::mechanism
