// The documents in one JSON object. simdjson finds them, so that the rest of the object can be copied byte
// for byte.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "pipeline/records/record_layout.hpp"

namespace sotto::pipeline {

/// A string that is a document: its place in the record, quotes included, and its decoded text.
struct JsonText {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;
  std::string field;  ///< the name of the member, or the JSON Pointer of the string
};

struct JsonRecord {
  std::vector<JsonText> texts;  ///< in the order of their places
  std::optional<std::string> id;
  std::optional<std::string> subject;
  bool is_incomplete = false;  ///< lacks a named field, which the layout allows
};

/// Bytes after a record that must be readable.
std::size_t json_padding();

/// Not thread-safe.
class JsonRecordParser {
 public:
  /// Adds the names of the fields that are not documents to `clear_fields`. Both must outlive the parser.
  JsonRecordParser(const RecordLayout& layout, std::set<std::string>& clear_fields);
  ~JsonRecordParser();

  /// `record` must be valid UTF-8, with json_padding() bytes after it. The result refers to the parser and is
  /// valid until the next call. Errors name fields, never values.
  Result<JsonRecord> parse(std::string_view record);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::pipeline
