#include <optional>

#include <fmt/format.h>

#include <sotto/model.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "embed/fixed_point_model.hpp"
#include "embed/model_file.hpp"
#include "embed/vector_reader.hpp"
#include "embed/vector_table.hpp"

namespace sotto {
using namespace embed;
namespace {

Result<void> check_options(const ImportOptions& options) {
  if (options.bits != 8 && options.bits != 16) return base::not_allowed("bits", options.bits, "8 or 16");
  if (options.vectors.empty()) return fail(Errc::invalid_argument, "no vector file is given");
  if (options.output.empty()) return fail(Errc::invalid_argument, "no output file is given");
  return base::check_output(options.output, options.vectors);
}

// The user's counts override those of the file.
std::vector<std::uint64_t> counts_in_order(VectorTable& table, const WordSelection* selection,
                                           const std::vector<std::uint32_t>& order) {
  std::vector<std::uint64_t> counts;
  for (const std::uint32_t row : order) {
    if (selection != nullptr && !selection->counts.empty())
      counts.push_back(selection->counts[selection->words.find(table.words()[row])]);
    else if (!table.counts().empty())
      counts.push_back(table.counts()[row]);
  }
  return counts;
}

Message no_words(std::string_view file, std::uint64_t non_words) {
  if (non_words == 0) return fmt::format("{}: no word of it is wanted", file);
  return base::format_message(
      "{}: has punctuation, numbers and markers only; {{keep_non_words}} imports them", file);
}

/// Of the model just written. What is wrong with a model of one word is no reason to refuse it.
std::optional<TypicalDistances> distances_in(const std::filesystem::path& file) {
  const auto model = Model::open(file);
  if (!model) return std::nullopt;
  const auto typical = typical_distances(**model);
  return typical ? std::optional(*typical) : std::nullopt;
}

}  // namespace

Result<ImportReport> import_vectors(const ImportOptions& options) {
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(base::Metadata metadata, check_metadata(options.metadata));
  std::optional<WordSelection> selection;
  if (options.vocabulary) {
    SOTTO_ASSIGN(selection, read_word_selection(*options.vocabulary));
  }
  const WordSelection* selected = selection ? &*selection : nullptr;
  VectorTable table(options.limit, selected);
  if (!options.keep_non_words) table.refuse_non_words();
  SOTTO_ASSIGN(base::BufferedInput input, base::BufferedInput::open(options.vectors));
  VectorSource source{input, table, options.progress};
  ImportReport report;
  SOTTO_ASSIGN(report.format, read_vectors(source));
  report.skipped = source.skipped + table.skipped();
  if (selected != nullptr) report.missing = selected->words.size() - table.words().size();
  report.non_words = table.non_words();
  if (table.words().size() == 0) return fail(Errc::bad_format, no_words(input.name(), report.non_words));
  if (table.largest_value() == 0)
    return fail(Errc::bad_format, fmt::format("{}: all vectors are zero", input.name()));
  const std::vector<std::uint32_t> order = table.order();
  SOTTO_ASSIGN(FixedPointReport written,
               write_fixed_point_model(table, order, counts_in_order(table, selected, order),
                                       {options.output, options.bits, std::move(metadata), {}}));
  report.words = written.words;
  report.dimension = written.dimension;
  report.scale = written.scale;
  report.largest_error = written.largest_error;
  report.sha256 = std::move(written.sha256);
  report.distances = distances_in(options.output);
  return report;
}

}  // namespace sotto
