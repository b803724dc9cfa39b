#include "embed/fixed_point_model.hpp"

#include <algorithm>

#include "embed/fixed_point.hpp"
#include "embed/model_file.hpp"

namespace sotto::embed {
namespace {

// Rounds rows in the given order and passes them on; returns the largest rounding error.
template <class T>
Result<double> write_rows(const VectorTable& table, std::span<const std::uint32_t> order,
                          const FixedPoint& fixed_point, const base::ByteSink& sink) {
  double largest_error = 0;
  std::vector<T> row(table.dimension());
  for (const std::uint32_t from : order) {
    largest_error = std::max(largest_error, fixed_point.round(table.values(from), std::span(row)));
    SOTTO_TRY(sink(base::as_bytes(std::span<const T>(row))));
  }
  return largest_error;
}

}  // namespace

Result<FixedPointReport> write_fixed_point_model(const VectorTable& table,
                                                 std::span<const std::uint32_t> order,
                                                 std::span<const std::uint64_t> counts,
                                                 FixedPointOptions options) {
  const FixedPoint fixed_point(options.bits, table.dimension(), table.largest_value(), table.largest_norm());
  std::string words;
  ModelParts parts;
  parts.offsets.push_back(0);
  for (const std::uint32_t row : order) {
    words.append(table.words()[row]);
    parts.offsets.push_back(words.size());
  }
  parts.words = words;
  parts.counts = counts;
  parts.dimension = static_cast<std::uint32_t>(table.dimension());
  parts.bits = options.bits;
  parts.scale = fixed_point.scale();
  parts.metadata = std::move(options.metadata);
  parts.further = std::move(options.further);
  FixedPointReport report;
  parts.write_vectors = [&](const base::ByteSink& sink) -> Result<void> {
    SOTTO_ASSIGN(report.largest_error, options.bits == 8
                                           ? write_rows<std::int8_t>(table, order, fixed_point, sink)
                                           : write_rows<std::int16_t>(table, order, fixed_point, sink));
    return {};
  };
  SOTTO_ASSIGN(report.sha256, write_model(options.output, parts));
  report.words = static_cast<std::uint32_t>(order.size());
  report.dimension = parts.dimension;
  report.scale = parts.scale;
  return report;
}

}  // namespace sotto::embed
