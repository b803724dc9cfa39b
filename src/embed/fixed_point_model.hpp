// Model files from imported or trained float vectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "base/safetensors.hpp"
#include "embed/vector_table.hpp"

namespace sotto::embed {

struct FixedPointOptions {
  std::filesystem::path output;
  int bits = 16;                             ///< 8 or 16
  base::Metadata metadata;                   ///< in addition to what the format itself needs
  std::vector<base::TensorToWrite> further;  ///< tensors in addition to those of a model
};

struct FixedPointReport {
  std::uint32_t words = 0;
  std::uint32_t dimension = 0;
  double scale = 0;
  double largest_error = 0;  ///< largest distance between a vector and its fixed-point form
  std::string sha256;
};

/// Rounds these rows of the table, in this order, to fixed point with one global scale, and writes a model
/// file, complete or not at all. `counts` is empty or has one count per row. Some value must be nonzero.
Result<FixedPointReport> write_fixed_point_model(const VectorTable& table,
                                                 std::span<const std::uint32_t> order,
                                                 std::span<const std::uint64_t> counts,
                                                 FixedPointOptions options);

}  // namespace sotto::embed
