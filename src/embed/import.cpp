#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <sotto/model.hpp>

#include "base/file.hpp"
#include "embed/fixed_point.hpp"
#include "embed/model_file.hpp"
#include "embed/vector_reader.hpp"
#include "embed/vector_table.hpp"

namespace sotto {
namespace {

Result<void> check_options(const ImportOptions& options) {
  if (options.bits != 8 && options.bits != 16)
    return fail(Errc::invalid_argument, fmt::format("bits: '{}' is not allowed; give 8 or 16", options.bits));
  if (options.vectors.empty()) return fail(Errc::invalid_argument, "no vector file is given");
  if (options.output.empty()) return fail(Errc::invalid_argument, "no output file is given");
  return check_output(options.output, options.vectors);
}

// Rounds rows in the given order and passes them on; returns the largest rounding error.
template <class T>
Result<double> write_rows(const VectorTable& table, const std::vector<std::uint32_t>& order,
                          const FixedPoint& fixed_point, const ByteSink& sink) {
  double largest_error = 0;
  std::vector<T> row(table.dimension());
  for (const std::uint32_t from : order) {
    largest_error = std::max(largest_error, fixed_point.round(table.values(from), std::span(row)));
    SOTTO_TRY(sink(as_bytes(std::span<const T>(row))));
  }
  return largest_error;
}

// Words, offsets and counts of a model in the given order; `words` owns what parts.words refers to.
struct OrderedWords {
  std::string words;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint64_t> counts;
};

OrderedWords order_words(VectorTable& table, const WordSelection* selection,
                         const std::vector<std::uint32_t>& order) {
  OrderedWords ordered;
  for (const std::uint32_t row : order) {
    const std::string_view word = table.words()[row];
    ordered.words.append(word);
    ordered.offsets.push_back(ordered.words.size());
    // The user's counts go before those of the file.
    if (selection != nullptr && !selection->counts.empty())
      ordered.counts.push_back(selection->counts[selection->words.find(word)]);
    else if (!table.counts().empty())
      ordered.counts.push_back(table.counts()[row]);
  }
  return ordered;
}

Result<void> write_imported(const ImportOptions& options, VectorTable& table, const WordSelection* selection,
                            Metadata metadata, ImportReport& report) {
  const std::vector<std::uint32_t> order = table.order();
  const FixedPoint fixed_point(options.bits, table.dimension(), table.largest_value(), table.largest_norm());
  OrderedWords ordered = order_words(table, selection, order);
  ModelParts parts;
  parts.words = ordered.words;
  parts.offsets = std::move(ordered.offsets);
  parts.counts = ordered.counts;
  parts.dimension = static_cast<std::uint32_t>(table.dimension());
  parts.bits = options.bits;
  parts.scale = fixed_point.scale();
  parts.metadata = std::move(metadata);
  parts.write_vectors = [&](const ByteSink& sink) -> Result<void> {
    SOTTO_ASSIGN(report.largest_error, options.bits == 8
                                           ? write_rows<std::int8_t>(table, order, fixed_point, sink)
                                           : write_rows<std::int16_t>(table, order, fixed_point, sink));
    return {};
  };
  SOTTO_ASSIGN(report.digest, write_model(options.output, parts));
  report.words = static_cast<std::uint32_t>(order.size());
  report.dimension = parts.dimension;
  report.scale = parts.scale;
  return {};
}

}  // namespace

Result<ImportReport> import_vectors(const ImportOptions& options) {
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(Metadata metadata, check_metadata(options.metadata));
  std::optional<WordSelection> selection;
  if (options.vocabulary) {
    SOTTO_ASSIGN(selection, read_word_selection(*options.vocabulary));
  }
  const WordSelection* selected = selection ? &*selection : nullptr;
  VectorTable table(options.limit, selected);
  SOTTO_ASSIGN(BufferedInput input, BufferedInput::open(options.vectors));
  VectorSource source{input, table, options.progress};
  ImportReport report;
  SOTTO_ASSIGN(report.format, read_vectors(source));
  report.skipped = source.skipped;
  if (selected != nullptr) report.missing = selected->words.size() - table.words().size();
  if (table.words().size() == 0)
    return fail(Errc::bad_format, fmt::format("{}: no word of it is wanted", input.name()));
  if (table.largest_value() == 0)
    return fail(Errc::bad_format, fmt::format("{}: all vectors are zero", input.name()));
  SOTTO_TRY(write_imported(options, table, selected, std::move(metadata), report));
  return report;
}

}  // namespace sotto
