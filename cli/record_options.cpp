#include "record_options.hpp"

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "command.hpp"
#include "shell_words.hpp"

namespace sotto::cli {

void RecordOptions::add_options(CLI::App& command) {
  command
      .add_option("--format", format,
                  "text (one document per line), jsonl, json (an array of objects), csv or tsv (default: by "
                  "extension)")
      ->type_name("FORMAT");
  add_encoding_option(command, encoding);
  add_many(
      command, "--field", fields,
      "Field that holds text: a column, a JSON member, or a JSON Pointer such as '/messages/*/body'; may be "
      "given several times",
      "NAME");
  command
      .add_option(
          "--delimiter", delimiter,
          "What separates the columns of CSV: one character, or tab (default: a comma, or ; tab | if only "
          "that gives the named fields)")
      ->type_name("CHARACTER");
  command.add_flag("--no-header", no_header,
                   "CSV and TSV: the first line is data; fields are column numbers from 1");
  command
      .add_option(
          "--missing", missing,
          "A record without a named field: error, skip (leave it out) or empty (keep it, as if its text were "
          "empty); default: error")
      ->type_name("WHAT");
}

Result<void> RecordOptions::apply_to(FileOptions& files) const {
  if (!format.empty()) {
    SOTTO_ASSIGN(files.format, parse_format(format));
  }
  if (!encoding.empty()) files.encoding = encoding;
  files.fields = fields;
  if (!delimiter.empty()) {
    SOTTO_ASSIGN(files.delimiter, parse_delimiter(delimiter));
  }
  files.no_header = no_header;
  if (!missing.empty()) {
    SOTTO_ASSIGN(files.missing, parse_missing(missing));
  }
  return {};
}

std::string record_arguments(const FileOptions& files) {
  const FileOptions usual;
  std::string arguments;
  if (files.format) arguments += fmt::format(" --format {}", to_string(*files.format));
  if (files.encoding != usual.encoding) arguments += " --encoding " + shell_word(files.encoding);
  if (files.delimiter)
    arguments +=
        " --delimiter " + (*files.delimiter == '\t' ? "tab" : shell_word(std::string(1, *files.delimiter)));
  if (files.no_header) arguments += " --no-header";
  if (files.missing != usual.missing) arguments += fmt::format(" --missing {}", to_string(files.missing));
  for (const std::string& field : files.fields) arguments += " --field " + shell_word(field);
  return arguments;
}

std::string encoding_warning(std::uint64_t sequences, const std::string& likely) {
  return fmt::format("warning: the input is not all UTF-8: {} in it became U+FFFD; {}",
                     counted(sequences, "ill-formed sequence"),
                     likely.empty() ? "if it has another encoding, name it with --encoding"
                                    : fmt::format("it looks like {0}, give --encoding {0}", likely));
}

}  // namespace sotto::cli
