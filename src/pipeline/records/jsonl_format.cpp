// One JSON object per line. simdjson finds the members; only the text between a field's quotes is replaced,
// so numbers, order and spacing of everything else are preserved.
#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include <sotto/tokenizer.hpp>

#include "base/json.hpp"
#include "pipeline/records/formats.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/utf8.hpp"

namespace sotto::pipeline {
namespace {

namespace ondemand = simdjson::ondemand;

/// A member whose string value is a document: the value's position in the line, and its decoded text.
struct TextMember {
  const char* begin;  // the opening quote
  const char* end;    // one past the closing quote
  std::string_view text;
  const std::string* field;
};

struct ParsedRecord {
  std::vector<TextMember> members;
  std::optional<std::string> id;
  std::optional<std::string> subject;
};

void append_json_string(std::string_view text, text::OutputBuffer& out) {
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

class JsonlChunk {
 public:
  explicit JsonlChunk(const ChunkJob& job) : job_(job) {}

  Result<void> run() {
    RecordCursor cursor(job_.chunk.data.view(), Format::jsonl, true);
    record_ = job_.chunk.begin.record;
    for (std::string_view line; cursor.next(line); ++record_) SOTTO_TRY(rewrite_line(line));
    return {};
  }

 private:
  Result<void> rewrite_line(std::string_view line) {
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      job_.rewriter.copy(line);
      return {};
    }
    ++job_.records;
    std::uint64_t replaced = 0;
    padded_.clear();
    if (is_valid_utf8(line))
      padded_.append(line);
    else
      padded_.append(replace_invalid_utf8(line, replaced));
    padded_.reserve(simdjson::SIMDJSON_PADDING);
    SOTTO_ASSIGN(const ParsedRecord record, parse(padded_.view()));
    if (replaced > 0 && !replaced_only_in_texts(line, record))
      return problem("a field that is copied as it is holds bytes that are not UTF-8");
    random::DocumentId id{{}, record_};
    if (record.id) {
      id.id = *record.id;
      if (job_.ids != nullptr) job_.ids->add(record_, *id.id);
    }
    job_.rewriter.begin_record(record.subject.value_or(""), id);
    job_.rewriter.counts().statistics.invalid_utf8 += replaced;
    SOTTO_TRY(splice(padded_.view(), record, id));
    job_.rewriter.end_record();
    return {};
  }

  /// Whether all invalid UTF-8 in `line`, which was replaced in padded_, is inside documents.
  bool replaced_only_in_texts(std::string_view line, const ParsedRecord& record) const {
    const char* replaced = padded_.view().data();
    for (std::size_t position = 0; position < line.size();) {
      const text::CodePoint code_point = text::decode_utf8(line, position);
      if (!code_point.valid &&
          std::none_of(record.members.begin(), record.members.end(), [&](const TextMember& member) {
            return member.begin < replaced && replaced < member.end;
          }))
        return false;
      position += code_point.size;
      replaced += code_point.valid ? code_point.size : text::encode_utf8(text::kReplacementCharacter).size;
    }
    return true;
  }

  Result<ParsedRecord> parse(std::string_view line) {
    ondemand::document document;
    ondemand::object object;
    const simdjson::padded_string_view padded(line.data(), line.size(),
                                              line.size() + simdjson::SIMDJSON_PADDING);
    if (const auto error = parser_.iterate(padded).get(document); error) return not_json(error);
    if (const auto error = document.get_object().get(object); error) return not_json(error);
    ParsedRecord record;
    for (auto member : object) {
      std::string_view key;
      ondemand::value value;
      if (const auto error = member.unescaped_key().get(key); error) return not_json(error);
      if (const auto error = member.value().get(value); error) return not_json(error);
      SOTTO_TRY(take_member(key, value, record));
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      return problem("something follows the JSON object");
    return check_complete(std::move(record));
  }

  Result<void> take_member(std::string_view key, ondemand::value& value, ParsedRecord& record) {
    const auto field = std::find(job_.layout.fields.begin(), job_.layout.fields.end(), key);
    const bool is_id = !job_.layout.id_field.empty() && key == job_.layout.id_field;
    const bool is_subject = !job_.layout.subject_field.empty() && key == job_.layout.subject_field;
    if (is_id || is_subject) {
      if (is_id ? record.id : record.subject)
        return problem(fmt::format("field '{}' occurs twice", key));  // the key equals the option
      SOTTO_ASSIGN(std::string name, take_name(value, key, is_id ? "id" : "subject"));
      if (is_subject) record.subject = name;
      if (is_id) record.id = std::move(name);
    }
    if (field != job_.layout.fields.end()) return take_text(*field, value, record);
    if (!job_.clear_fields.contains(std::string(key))) job_.clear_fields.emplace(key);
    if (is_id || is_subject) return {};
    if (const auto error = walk(value, 1); error) return not_json(error);
    return {};
  }

  /// Walks over a value that is copied unchanged, to detect malformed ones. `depth` is that of the enclosing
  /// object or array.
  static simdjson::error_code walk(ondemand::value value, std::size_t depth) {
    if (depth > base::kDeepestJson) return simdjson::DEPTH_ERROR;
    ondemand::json_type type{};
    if (const auto error = value.type().get(type); error) return error;
    switch (type) {
      case ondemand::json_type::array:
        return walk_array(value, depth + 1);
      case ondemand::json_type::object:
        return walk_object(value, depth + 1);
      case ondemand::json_type::string:
        return value.get_string().error();
      case ondemand::json_type::number:
        return value.get_double().error();
      case ondemand::json_type::boolean:
        return value.get_bool().error();
      case ondemand::json_type::null:
        break;
    }
    return value.is_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
  }

  static simdjson::error_code walk_array(ondemand::value& value, std::size_t depth) {
    ondemand::array array;
    if (const auto error = value.get_array().get(array); error) return error;
    for (auto element : array) {
      ondemand::value item;
      if (const auto error = element.get(item); error) return error;
      if (const auto error = walk(item, depth); error) return error;
    }
    return simdjson::SUCCESS;
  }

  static simdjson::error_code walk_object(ondemand::value& value, std::size_t depth) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object); error) return error;
    for (auto member : object) {
      ondemand::value item;
      if (const auto error = member.value().get(item); error) return error;
      if (const auto error = walk(item, depth); error) return error;
    }
    return simdjson::SUCCESS;
  }

  Result<void> take_text(const std::string& field, ondemand::value& value, ParsedRecord& record) {
    for (const TextMember& member : record.members)
      if (*member.field == field) return problem(fmt::format("field '{}' occurs twice", field));
    ondemand::json_type type{};
    if (const auto error = value.type().get(type); error) return not_json(error);
    if (type != ondemand::json_type::string && type != ondemand::json_type::null)
      return problem(fmt::format("field '{}' is not a string", field));
    const std::string_view token = value.raw_json_token();
    const std::size_t length = token.find_last_not_of(" \t\r\n,:}") + 1;
    std::string_view text;
    if (type == ondemand::json_type::null) {
      if (!value.is_null()) return not_json(simdjson::N_ATOM_ERROR);
      record.members.push_back({nullptr, nullptr, {}, &field});
      return {};
    }
    if (const auto error = value.get_string().get(text); error) return not_json(error);
    record.members.push_back({token.data(), token.data() + length, text, &field});
    return {};
  }

  /// The value of a field that identifies the record or its subject.
  Result<std::string> take_name(ondemand::value& value, std::string_view key, std::string_view what) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type); error) return not_json(error);
    if (type == ondemand::json_type::string) {
      std::string_view text;
      if (const auto error = value.get_string().get(text); error) return not_json(error);
      return std::string(text);
    }
    if (type != ondemand::json_type::number)
      return problem(
          fmt::format("field '{}' is not a string or a number, so it cannot be the {}", key, what));
    std::string number(value.raw_json_token());
    number.erase(number.find_last_not_of(" \t\r\n") + 1);
    return number;
  }

  Result<ParsedRecord> check_complete(ParsedRecord record) {
    for (const std::string& field : job_.layout.fields)
      if (std::none_of(record.members.begin(), record.members.end(),
                       [&](const TextMember& member) { return *member.field == field; }))
        return problem(fmt::format("there is no field '{}'", field));
    if (!job_.layout.id_field.empty() && !record.id)
      return problem(fmt::format("there is no id field '{}'", job_.layout.id_field));
    if (!job_.layout.subject_field.empty() && !record.subject)
      return problem(fmt::format("there is no subject field '{}'", job_.layout.subject_field));
    if (record.subject && record.subject->empty())
      return problem(fmt::format("the subject field '{}' is empty", job_.layout.subject_field));
    return record;
  }

  Result<void> splice(std::string_view line, const ParsedRecord& record, const random::DocumentId& id) {
    const char* done = line.data();
    for (const TextMember& member : record.members) {
      if (member.begin == nullptr) continue;  // a null value has no text
      job_.rewriter.copy({done, static_cast<std::size_t>(member.begin - done)});
      text_.clear();
      text_.append(member.text);
      if (auto ok = job_.rewriter.rewrite(job_.streams, id, *member.field, text_.view(),
                                          Rewriter::Lifetime::call, append_json_string);
          !ok)
        return record_error(job_, record_, std::move(ok.error()));
      done = member.end;
    }
    job_.rewriter.copy({done, static_cast<std::size_t>(line.data() + line.size() - done)});
    return {};
  }

  tl::unexpected<Error> problem(std::string_view message, Errc code = Errc::bad_format) const {
    return record_error(job_, record_, code, message);
  }
  tl::unexpected<Error> not_json(simdjson::error_code error) const {
    return problem(fmt::format("not a JSON object: {}", simdjson::error_message(error)));
  }

  const ChunkJob& job_;
  std::uint64_t record_ = 0;
  ondemand::parser parser_;
  text::OutputBuffer padded_;
  text::OutputBuffer text_;
};

}  // namespace

Result<void> rewrite_jsonl(const ChunkJob& job) {
  return JsonlChunk(job).run();
}

}  // namespace sotto::pipeline
