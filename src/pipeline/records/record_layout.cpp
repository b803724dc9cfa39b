#include "pipeline/records/record_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "base/compressed_input.hpp"
#include "pipeline/records/record_reader.hpp"
#include "text/printable.hpp"

namespace sotto {
using namespace pipeline;
namespace {

constexpr std::uint64_t kLargestColumnNumber = 10'000;
constexpr std::size_t kMostFields = 10'000;  // the work of comparing them grows with the square
constexpr std::size_t kHeaderBytes = 64 << 10;

Format format_by_extension(const std::filesystem::path& input) {
  std::string extension = base::without_compression(input).extension().string();
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + ('a' - 'A'));
  if (extension == ".jsonl" || extension == ".ndjson") return Format::jsonl;
  if (extension == ".json") return Format::json;
  if (extension == ".csv") return Format::csv;
  if (extension == ".tsv") return Format::tsv;
  return Format::text;
}

Result<Format> choose_format(const FileOptions& files) {
  if (files.format) return *files.format;
  if (files.inputs.empty()) return Format::text;
  const Format first = format_by_extension(files.inputs.front());
  for (const std::filesystem::path& input : files.inputs)
    if (const Format other = format_by_extension(input); other != first)
      return fail_parameter(
          "format", "",
          base::format_message("missing; {} looks like {} and {} like {}; give one that all have, "
                               "or run them one by one",
                               files.inputs.front().string(), to_string(first), input.string(),
                               to_string(other)));
  return first;
}

/// Refuses what only records with fields have.
Result<void> check_text(const FileOptions& files) {
  const auto refuse = [](std::string_view parameter, std::string_view value) {
    return fail_parameter(
        parameter, value,
        base::format_message("'{}' needs {{format}} jsonl, json, csv or tsv; text has no fields", value));
  };
  if (!files.fields.empty()) return refuse("field", files.fields.front());
  if (!files.id_field.empty()) return refuse("id_field", files.id_field);
  if (files.missing != MissingField::error) return refuse("missing", to_string(files.missing));
  return {};
}

Result<void> check_dialect(const FileOptions& files, Format format) {
  const bool has_columns = format == Format::csv || format == Format::tsv;
  if (files.no_header && !has_columns)
    return fail_parameter(
        "no_header", "",
        base::format_message("needs {{format}} csv or tsv; {} has no header", to_string(format)));
  if (!files.delimiter) return {};
  if (const auto ok = parse_delimiter({&*files.delimiter, 1}); !ok) return tl::unexpected(ok.error());
  const std::string given(1, *files.delimiter);
  if (!has_columns)
    return fail_parameter("delimiter", given,
                          base::format_message("needs {{format}} csv, not {}", to_string(format)));
  if (format == Format::tsv && *files.delimiter != '\t')
    return fail_parameter("delimiter", given,
                          base::format_message("'{}' needs {{format}} csv; tsv is separated by tabs", given));
  return {};
}

/// Without a header a column has only its number.
Result<void> check_column_number(std::string_view parameter, const std::string& field) {
  if (read_integer("", field, 1, kLargestColumnNumber) && !field.starts_with('0') && !field.starts_with('+'))
    return {};
  return fail_parameter(
      parameter, field,
      base::format_message("'{}' is not a column number; with {{no_header}} columns are 1, 2, 3, ...",
                           field));
}

Result<void> check_column_numbers(const RecordLayout& layout) {
  for (const std::string& field : layout.fields) SOTTO_TRY(check_column_number("field", field));
  if (!layout.id_field.empty()) SOTTO_TRY(check_column_number("id_field", layout.id_field));
  if (!layout.subject_field.empty()) SOTTO_TRY(check_column_number("subject_field", layout.subject_field));
  return {};
}

/// A field that names a record or its subject is one value.
Result<std::optional<FieldPath>> single_path(std::string_view parameter, const std::string& field) {
  if (field.empty()) return std::nullopt;
  SOTTO_ASSIGN(FieldPath path, FieldPath::parse(parameter, field));
  if (path.has_wildcard())
    return fail_parameter(parameter, field,
                          base::format_message("'{}' may be several values; name a single one", field));
  return path;
}

Result<void> set_paths(RecordLayout& layout) {
  for (const std::string& field : layout.fields) {
    SOTTO_ASSIGN(FieldPath path, FieldPath::parse("field", field));
    layout.paths.push_back(std::move(path));
  }
  SOTTO_ASSIGN(layout.id_path, single_path("id_field", layout.id_field));
  SOTTO_ASSIGN(layout.subject_path, single_path("subject_field", layout.subject_field));
  return {};
}

bool are_same(const RecordLayout& layout, std::size_t field, std::size_t other) {
  return layout.is_json() ? layout.paths[field] == layout.paths[other]
                          : layout.fields[field] == layout.fields[other];
}

/// The field that would rewrite `name`, or null.
const std::string* rewritten_as(const RecordLayout& layout, const std::string& name,
                                const std::optional<FieldPath>& path) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i)
    if (layout.fields[i] == name || (path && path->overlaps(layout.paths[i]))) return &layout.fields[i];
  return nullptr;
}

/// The names in the header of the first file, for a message; empty if there is none to be read.
std::string columns_there_are(const FileOptions& files, const RecordLayout& layout) {
  std::error_code ignored;
  const auto encoding = base::TextEncoding::parse("encoding", files.encoding);
  if (!layout.is_delimited() || layout.no_header || files.inputs.empty() || !encoding ||
      !std::filesystem::is_regular_file(files.inputs.front(), ignored))  // a pipe could not be read again
    return {};
  RecordReader::Options reading;
  reading.inputs = {files.inputs.front()};
  reading.format = layout.format;
  reading.encoding = *encoding;
  reading.delimiter = layout.delimiter;
  reading.chunk_bytes = kHeaderBytes;
  reading.max_record_bytes = kHeaderBytes;
  auto reader = RecordReader::open(reading);
  Chunk chunk;
  if (!reader || !reader->next(chunk).value_or(false)) return {};
  std::vector<std::string_view> columns;
  split_record(without_line_end(chunk.head->header()), chunk.head->syntax, columns);
  std::vector<std::string> names;
  for (const std::string_view column : columns) {
    text::OutputBuffer name;
    unquote(column, chunk.head->syntax, name);
    names.emplace_back(name.view());
  }
  return fmt::format("; {} has {}", files.inputs.front().string(), text::list_names(names));
}

Result<void> check_field_count(std::size_t fields) {
  if (fields <= kMostFields) return {};
  return fail_parameter("field", "", fmt::format("{} fields; give at most {}", fields, kMostFields));
}

Result<void> check_fields(const RecordLayout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i)
    for (std::size_t other = 0; other < i; ++other)
      if (are_same(layout, i, other))
        return fail_parameter("field", layout.fields[i],
                              fmt::format("'{}' is given twice", layout.fields[i]));
  if (!layout.id_field.empty() && rewritten_as(layout, layout.id_field, layout.id_path) != nullptr)
    return fail_parameter(
        "id_field", layout.id_field,
        base::format_message("'{}' is also a {{field}}; an id is not private", layout.id_field));
  if (!layout.subject_field.empty() &&
      rewritten_as(layout, layout.subject_field, layout.subject_path) != nullptr)
    return fail_parameter(
        "subject_field", layout.subject_field,
        base::format_message("'{}' is also a {{field}}; its text would appear in the ledger",
                             layout.subject_field));
  return {};
}

}  // namespace

std::vector<std::string> RecordLayout::named_fields() const {
  std::vector<std::string> names = fields;
  if (!id_field.empty()) names.push_back(id_field);
  if (!subject_field.empty()) names.push_back(subject_field);
  return names;
}

std::size_t RecordLayout::largest_column_number() const {
  std::size_t largest = 1;
  for (const std::string& number : named_fields())
    largest = std::max<std::size_t>(largest, read_integer("", number, 1, kLargestColumnNumber).value_or(1));
  return largest;
}

Result<RecordLayout> pipeline::make_layout(const FileOptions& files) {
  RecordLayout layout;
  SOTTO_TRY(check_field_count(files.fields.size()));
  SOTTO_ASSIGN(layout.format, choose_format(files));
  layout.fields = files.fields;
  layout.id_field = files.id_field;
  if (files.ledger) layout.subject_field = files.ledger->subject_field;
  layout.delimiter = files.delimiter;
  layout.no_header = files.no_header;
  layout.missing = files.missing;
  SOTTO_TRY(check_dialect(files, layout.format));
  if (layout.format == Format::text) {
    SOTTO_TRY(check_text(files));
    return layout;
  }
  if (files.fields.empty())
    return fail_parameter("field", "",
                          fmt::format("missing; name the field of the {} records that holds the text{}",
                                      to_string(layout.format), columns_there_are(files, layout)));
  if (layout.is_json()) SOTTO_TRY(set_paths(layout));
  if (layout.no_header) SOTTO_TRY(check_column_numbers(layout));
  SOTTO_TRY(check_fields(layout));
  return layout;
}

std::string pipeline::spell_delimiter(char delimiter) {
  if (delimiter == '\t') return "a tab";
  return delimiter == ' ' ? "a space" : fmt::format("'{}'", delimiter);
}

const char* to_string(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)].data();
}

Result<Format> parse_format(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("format", name, kFormatNames));
  return static_cast<Format>(index);
}

const char* to_string(MissingField missing) {
  return kMissingFieldNames[static_cast<std::size_t>(missing)].data();
}

Result<MissingField> parse_missing(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("missing", name, kMissingFieldNames));
  return static_cast<MissingField>(index);
}

/// A letter is most likely a tab whose backslash a shell has taken.
Result<char> parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t" || text == "\t") return '\t';
  const auto is_allowed = [](char byte) {
    const bool is_letter_or_digit =
        (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    return byte >= ' ' && byte <= '~' && byte != '"' && !is_letter_or_digit;
  };
  if (text.size() == 1 && is_allowed(text.front())) return text.front();
  return base::not_allowed("delimiter", text,
                           "one character that is not a letter, a digit or a quote, or 'tab'");
}

}  // namespace sotto
