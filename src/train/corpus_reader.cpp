#include "train/corpus_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::size_t kLongestLine = 256 << 20;

bool names_jsonl(const std::filesystem::path& file) {
  std::filesystem::path name = file.filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return name.extension() == ".jsonl" || name.extension() == ".ndjson";
}

/// The string of a field of a JSON object; `line` is followed by SIMDJSON_PADDING bytes.
Result<std::string_view> json_field(simdjson::ondemand::parser& parser, std::string_view line,
                                    const std::string& field) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  std::string_view text;
  const simdjson::padded_string_view padded(line.data(), line.size(),
                                            line.size() + simdjson::SIMDJSON_PADDING);
  auto error = parser.iterate(padded).get(document);
  if (!error) error = document.get_object().get(object);
  if (error)
    return fail(Errc::bad_format, fmt::format("not a JSON object: {}", simdjson::error_message(error)));
  simdjson::ondemand::value value;
  error = object.find_field_unordered(field).get(value);
  if (error == simdjson::NO_SUCH_FIELD)
    return fail(Errc::bad_format, fmt::format("there is no field '{}'", field));
  if (!error && value.type().value_unsafe() == simdjson::ondemand::json_type::null) return std::string_view();
  if (!error) error = value.get_string().get(text);
  if (error) return fail(Errc::bad_format, fmt::format("field '{}' is not a string", field));
  return text;
}

}  // namespace

CorpusReader::CorpusReader(std::vector<std::filesystem::path> inputs) : inputs_(std::move(inputs)) {
  for (const std::filesystem::path& input : inputs_) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(input, error);
    if (!error) bytes_in_all_ += bytes;
  }
}

std::uint64_t CorpusReader::bytes_read() const {
  return bytes_before_ + (input_ ? input_->file_position() : 0);
}

Result<bool> CorpusReader::next(CorpusChunk& chunk) {
  chunk.lines.clear();
  while (chunk.lines.empty()) {
    if (!input_) {
      if (next_input_ == inputs_.size()) return false;
      SOTTO_ASSIGN(input_, BufferedInput::open(inputs_[next_input_++]));
      line_ = 0;
    }
    chunk.file = input_->name();
    chunk.is_jsonl = names_jsonl(inputs_[next_input_ - 1]);
    chunk.first_line = line_ + 1;
    std::string_view line;
    bool more = true;
    while (more && chunk.lines.size() < kChunkBytes) {
      const Result<bool> got = input_->next_line(line, kLongestLine);
      if (!got)
        return fail(got.error().code,
                    fmt::format("{}, line {}: {}", input_->name(), line_ + 1, got.error().message));
      more = *got;
      if (!more) break;
      ++line_;
      chunk.lines.append(line).push_back('\n');
    }
    if (!more) {
      bytes_before_ += input_->file_position();
      input_.reset();
    }
  }
  chunk.sequence = sequence_++;
  return true;
}

Result<void> for_each_document(const CorpusChunk& chunk, const std::string& field,
                               const std::function<void(std::string_view text)>& visit) {
  simdjson::ondemand::parser parser;
  std::string padded;
  std::string_view rest = chunk.lines;
  for (std::uint64_t number = chunk.first_line; !rest.empty(); ++number) {
    std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(text.size() + 1);
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::string valid;
    if (!is_valid_utf8(text)) {
      std::uint64_t replaced = 0;
      valid = replace_invalid_utf8(text, replaced);
      text = valid;
    }
    if (chunk.is_jsonl) {
      padded.assign(text).append(simdjson::SIMDJSON_PADDING, ' ');
      const auto found = json_field(parser, {padded.data(), text.size()}, field);
      if (!found)
        return fail(found.error().code,
                    fmt::format("{}, line {}: {}", chunk.file, number, found.error().message));
      text = *found;
    }
    visit(text);
  }
  return {};
}

}  // namespace sotto
