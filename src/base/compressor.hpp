// Compression step by step, with zlib, libzstd, liblzma and libbz2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

#include "base/compression.hpp"

namespace sotto::base {

/// Compresses bytes at the default level of the usual program. The result depends on the bytes alone, not on
/// how they are divided among calls, and holds no name and no time. Not thread-safe.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// Appends what comes out to `out`; nothing may follow finish().
  Result<void> write(std::string_view data, std::string& out);
  Result<void> finish(std::string& out);

  /// For any compression but none.
  static Result<std::unique_ptr<Compressor>> make(Compression compression);

 protected:
  virtual Result<void> compress(std::string_view block, bool last, std::string& out) = 0;

 private:
  std::string pending_;  // less than a block
};

}  // namespace sotto::base
