// Which parts of a record are its documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>

#include "pipeline/records/field_path.hpp"

namespace sotto::pipeline {

struct RecordLayout {
  Format format = Format::text;
  std::vector<std::string> fields;  ///< as given
  std::string id_field;             ///< empty: the record number
  std::string subject_field;        ///< empty: no ledger
  std::optional<char> delimiter;    ///< of CSV; empty: to be found
  bool no_header = false;
  MissingField missing = MissingField::error;
  /// Of JSON: the same fields as paths.
  std::vector<FieldPath> paths;
  std::optional<FieldPath> id_path;
  std::optional<FieldPath> subject_path;

  bool is_json() const { return format == Format::jsonl || format == Format::json; }
  bool is_delimited() const { return format == Format::csv || format == Format::tsv; }

  /// All fields that are named, whatever for.
  std::vector<std::string> named_fields() const;

  /// The largest of them without a header.
  std::size_t largest_column_number() const;
};

/// Checks that format and fields fit together. Reads no file, except to name the columns if no field is
/// given.
Result<RecordLayout> make_layout(const FileOptions& files);

/// How messages spell a delimiter: ';', or "a tab".
std::string spell_delimiter(char delimiter);

}  // namespace sotto::pipeline
