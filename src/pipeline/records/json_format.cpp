// JSON objects: one per line, in an array, or one after another. Only the text between a field's quotes is
// replaced, so numbers, order and spacing of everything else are preserved.
#include <algorithm>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "pipeline/records/formats.hpp"
#include "pipeline/records/json_record.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/utf8.hpp"

namespace sotto::pipeline {
namespace {

void append_json_string(std::string_view text, char /*delimiter*/, text::OutputBuffer& out) {
  out.append("\"");
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text.substr(done, i - done));
    done = i + 1;
    switch (byte) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        out.append(fmt::format("\\u{:04x}", byte));
    }
  }
  out.append(text.substr(done));
  out.append("\"");
}

class JsonChunk {
 public:
  explicit JsonChunk(const ChunkJob& job)
      : job_(job),
        is_json_(job.chunk.head->syntax.format == Format::json),
        around_values_(is_json_ ? kJsonSeparators : kJsonBlanks),
        parser_(job.layout, job.clear_fields) {}

  Result<void> run() {
    const std::string_view data = job_.chunk.data.view();
    RecordCursor cursor(data, job_.chunk.head->syntax, true);
    place_.record = job_.chunk.begin.record;
    for (std::string_view record; cursor.next(record); ++place_.record) {
      const std::size_t before = std::min(record.find_first_not_of(around_values_), record.size());
      place_.offset = static_cast<std::size_t>(record.data() - data.data()) + before;
      const bool is_end = before == record.size();
      if (is_json_) SOTTO_TRY(check_separators(record.substr(0, before), is_end));
      if (is_end)
        copy_end(record);
      else
        SOTTO_TRY(rewrite_record(record));
    }
    return {};
  }

 private:
  /// What precedes a value, or closes the array.
  Result<void> check_separators(std::string_view separators, bool is_end) const {
    std::string found;
    for (const char byte : separators)
      if (kJsonBlanks.find(byte) == std::string_view::npos) found += byte;
    if (!job_.chunk.head->is_array)
      return found.empty() ? Result<void>()
                           : problem("between JSON objects there must be nothing but spaces");
    if (found.starts_with(']') && !(is_end && found == "]"))
      return problem("something follows the JSON array");
    if (is_end) return found == "]" ? Result<void>() : problem("a JSON array must not end with a comma");
    if (found == (place_.record == 0 ? "" : ",")) return {};
    return problem("the values of a JSON array must be separated by one comma");
  }

  /// A record without a value: a blank line, or what closes the array. Several arrays become one.
  void copy_end(std::string_view record) {
    if (job_.chunk.head->is_array && !job_.is_last_input) return;
    job_.rewriter.copy(record);
  }

  Result<void> rewrite_record(std::string_view source) {
    ++job_.records;
    std::uint64_t replaced = 0;
    padded_.clear();
    if (is_valid_utf8(source))
      padded_.append(source);
    else
      padded_.append(replace_invalid_utf8(source, replaced));
    padded_.reserve(json_padding());
    // Separators are not part of the value. Their bytes are ASCII, so they are the same in both.
    const std::string_view value = padded_.view().substr(padded_.view().find_first_not_of(around_values_));
    auto record = parser_.parse(value);
    if (!record) return record_error(job_, place_, std::move(record.error()));
    if (replaced > 0 && !replaced_only_in_texts(source, *record, value.data()))
      return problem("a field that is copied as it is holds bytes that are not UTF-8");
    if (record->is_incomplete && job_.layout.missing == MissingField::skip) {
      ++job_.rewriter.counts().skipped;
      return {};
    }
    random::DocumentId id{{}, place_.record};
    if (record->id) {
      id.id = *record->id;
      if (job_.ids != nullptr) job_.ids->add(place_.record, *id.id);
    }
    job_.rewriter.begin_record(record->subject.value_or(""), id);
    job_.rewriter.counts().statistics.invalid_utf8 += replaced;
    job_.rewriter.copy(padded_.view().substr(0, padded_.size() - value.size()));
    SOTTO_TRY(splice(value, *record, id));
    job_.rewriter.end_record();
    return {};
  }

  /// Whether all invalid UTF-8 in `source`, which was replaced in padded_, is inside documents. Those count
  /// from `value`.
  bool replaced_only_in_texts(std::string_view source, const JsonRecord& record, const char* value) const {
    const char* replaced = padded_.view().data();
    for (std::size_t position = 0; position < source.size();) {
      const text::CodePoint code_point = text::decode_utf8(source, position);
      if (!code_point.valid &&
          std::none_of(record.texts.begin(), record.texts.end(), [&](const JsonText& text) {
            return value + text.begin < replaced && replaced < value + text.end;
          }))
        return false;
      position += code_point.size;
      replaced += code_point.valid ? code_point.size : text::encode_utf8(text::kReplacementCharacter).size;
    }
    return true;
  }

  Result<void> splice(std::string_view value, const JsonRecord& record, const random::DocumentId& id) {
    std::size_t done = 0;
    for (const JsonText& text : record.texts) {
      job_.rewriter.copy(value.substr(done, text.begin - done));
      text_.clear();
      text_.append(text.text);
      if (auto ok = job_.rewriter.rewrite(job_.streams, id, text.field, text_.view(),
                                          Rewriter::Lifetime::call, {append_json_string});
          !ok)
        return record_error(job_, place_, std::move(ok.error()));
      done = text.end;
    }
    job_.rewriter.copy(value.substr(done));
    return {};
  }

  tl::unexpected<Error> problem(std::string_view message) const {
    return record_error(job_, place_, Errc::bad_format, message);
  }

  const ChunkJob& job_;
  bool is_json_;                    // not JSON lines
  std::string_view around_values_;  // what may be there
  JsonRecordParser parser_;
  RecordPlace place_;
  text::OutputBuffer padded_;
  text::OutputBuffer text_;
};

}  // namespace

Result<void> rewrite_json(const ChunkJob& job) {
  return JsonChunk(job).run();
}

void join_array_elements(text::OutputBuffer& out, bool& has_elements) {
  const std::string_view records = out.view();
  const std::size_t value = records.find_first_not_of(kJsonSeparators);
  if (value == std::string_view::npos) return;
  const std::size_t comma = records.substr(0, value).find(',');
  const bool has_comma = comma != std::string_view::npos;
  if (has_comma != has_elements) {
    text::OutputBuffer joined;
    if (has_elements) {
      joined.append(",");
      joined.append(records);
    } else {
      joined.append(records.substr(0, comma));
      joined.append(records.substr(comma + 1));
    }
    std::swap(out, joined);
  }
  has_elements = true;
}

}  // namespace sotto::pipeline
