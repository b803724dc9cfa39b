// Small types shared by the parts of a subword tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::lm {

/// An id in a language model's vocabulary; not to be confused with TokenId, the words of a vector model.
using SubwordId = std::uint32_t;

/// The bytes [begin, end) of a text.
struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

/// The positions [begin, end) of a sequence.
struct IndexRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

}  // namespace sotto::lm
