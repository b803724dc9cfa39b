// Decompression step by step, with zlib, libzstd, liblzma and libbz2.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <sotto/result.hpp>

#include "base/compression.hpp"

namespace sotto::base {

/// Decodes compressed bytes in order. Concatenated files are one. Memory does not depend on how much comes
/// out: a window of at most 1 GiB, which only a hostile header asks for. Not thread-safe.
class Decompressor {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };

  virtual ~Decompressor() = default;

  /// Decodes some of `in`, which must not be empty unless `at_end`, into `out`. At the end, keeps returning
  /// what is still held back until nothing is produced. An error does not name the file.
  virtual Result<Step> step(std::string_view in, bool at_end, std::span<char> out) = 0;

  /// Whether the input so far is incomplete.
  virtual bool inside() const = 0;

  /// For any compression but none.
  static Result<std::unique_ptr<Decompressor>> make(Compression compression);
};

}  // namespace sotto::base
