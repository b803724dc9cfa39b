#include "collocation/corpus_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "text/encoding_guess.hpp"
#include "text/line_ends.hpp"

namespace sotto::collocation {
namespace {

bool is_jsonl_name(const std::filesystem::path& file) {
  const std::filesystem::path extension = base::without_compression(file).extension();
  return extension == ".jsonl" || extension == ".ndjson";
}

}  // namespace

Result<CorpusReader> CorpusReader::open(Options options) {
  CorpusReader reader(std::move(options));
  SOTTO_ASSIGN(reader.encoding_, base::TextEncoding::parse("encoding", reader.options_.encoding));
  bool known = !reader.options_.inputs.empty();
  for (const std::filesystem::path& file : reader.options_.inputs) {
    SOTTO_TRY(base::open_for_reading(file));
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    known = known && !error;
    reader.total_ += error ? 0 : size;
  }
  if (!known) reader.total_ = 0;
  return reader;
}

std::string CorpusReader::input_name(std::uint32_t input) const {
  return options_.inputs.empty() ? "standard input" : options_.inputs[input].string();
}

std::uint64_t CorpusReader::bytes_read() const {
  return finished_ + (input_ ? input_->file_position() : 0);
}

Result<void> CorpusReader::open_next() {
  const base::InputOptions how{encoding_, go_on_};
  SOTTO_ASSIGN(base::BufferedInput opened,
               options_.inputs.empty() ? base::BufferedInput::open_standard_input(how)
                                       : base::BufferedInput::open(options_.inputs[next_input_], how));
  input_.emplace(std::move(opened));
  SOTTO_TRY(input_->fill(base::kByteOrderMark.size()));
  if (input_->window().starts_with(base::kByteOrderMark)) input_->consume(base::kByteOrderMark.size());
  ++next_input_;
  line_ = 1;
  return {};
}

/// The size of the whole lines at the start of the input's window, at least one line; 0 at the end.
Result<std::size_t> CorpusReader::whole_lines(const CorpusBlock& block) {
  for (std::size_t size = options_.block_bytes;;) {
    SOTTO_TRY(input_->fill(size));
    const std::string_view window = input_->window().substr(0, size);
    if (window.size() < size) return window.size();
    // A CR at the very end may be half of a line terminator.
    if (window.back() == '\n') return size;
    const std::size_t end = window.substr(0, size - 1).find_last_of("\r\n");
    if (end != std::string_view::npos) return end + 1;
    if (size >= kLongestLine)
      return fail(Errc::limit, fmt::format("{}: line {} is longer than {} MiB; a line must be one document",
                                           input_name(block.input), line_, kLongestLine >> 20));
    size = std::min(2 * size, kLongestLine);
  }
}

Result<void> CorpusReader::check(CorpusBlock& block) const {
  const std::string_view text = block.data.view();
  if (block.first_line == 1)
    SOTTO_TRY(text::check_utf8(text.substr(0, text::kEncodingSample), input_name(block.input)));
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return fail(
        Errc::bad_format,
        fmt::format("{}: line {} holds a NUL byte; this is not a text file in UTF-8", input_name(block.input),
                    block.first_line + text::count_line_ends(text.substr(0, nul))));
  }
  if (!is_valid_utf8(text)) {
    std::uint64_t replaced = 0;
    const std::string valid = replace_invalid_utf8(text, replaced);
    block.data.clear();
    block.data.append(valid);
  }
  return {};
}

Result<bool> CorpusReader::next(CorpusBlock& block) {
  for (;;) {
    if (!input_) {
      if (next_input_ >= std::max<std::size_t>(1, options_.inputs.size())) return false;
      SOTTO_TRY(open_next());
    }
    block.input = next_input_ - 1;
    SOTTO_ASSIGN(const std::size_t size, whole_lines(block));
    if (size == 0) {
      finished_ += input_->file_position();
      input_.reset();
      continue;
    }
    block.data.clear();
    block.data.append(input_->window().substr(0, size));
    input_->consume(size);
    block.first_line = line_;
    block.sequence = sequence_++;
    block.jsonl = options_.format == CorpusFormat::jsonl ||
                  (options_.format == CorpusFormat::by_name && !options_.inputs.empty() &&
                   is_jsonl_name(options_.inputs[block.input]));
    line_ += text::count_line_ends(block.data.view());
    SOTTO_TRY(check(block));
    return true;
  }
}

struct DocumentExtractor::Json {
  simdjson::dom::parser parser;
  text::OutputBuffer padded;
};

DocumentExtractor::DocumentExtractor(std::string field)
    : field_(std::move(field)), json_(std::make_unique<Json>()) {}
DocumentExtractor::~DocumentExtractor() = default;
DocumentExtractor::DocumentExtractor(DocumentExtractor&&) noexcept = default;
DocumentExtractor& DocumentExtractor::operator=(DocumentExtractor&&) noexcept = default;

Result<std::optional<std::string_view>> DocumentExtractor::parse(std::string_view line,
                                                                 std::string_view where) {
  json_->padded.clear();
  json_->padded.append(line);
  const char* const padded = json_->padded.reserve(simdjson::SIMDJSON_PADDING) - line.size();
  const auto problem = [&](std::string_view what) {
    return fail(Errc::bad_format, fmt::format("{}: {}", where, what));
  };
  simdjson::dom::object object;
  simdjson::dom::element value;
  std::string_view text;
  if (const auto error = json_->parser.parse(padded, line.size(), false).get(object); error)
    return problem(fmt::format("not a JSON object: {}", simdjson::error_message(error)));
  if (object[field_].get(value)) return problem(fmt::format("there is no field '{}'", field_));
  if (value.is_null()) return std::nullopt;
  if (value.get(text)) return problem(fmt::format("field '{}' is not a string", field_));
  return text;
}

Result<void> DocumentExtractor::for_each(const CorpusBlock& block, std::string_view name,
                                         const std::function<void(std::string_view document)>& use) {
  const std::string_view text = block.data.view();
  text::LineEnds lines(text, true);
  std::size_t next = 0;
  for (std::uint64_t line_number = block.first_line; next < text.size(); ++line_number) {
    const text::LineEnd end = lines.next(next);
    const std::string_view line = text.substr(next, end.begin - next);
    next = std::min(end.end, text.size());
    if (!block.jsonl) {
      use(line);
      continue;
    }
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    SOTTO_ASSIGN(const std::optional<std::string_view> document,
                 parse(line, fmt::format("{}, line {}", name, line_number)));
    if (document) use(*document);
  }
  return {};
}

}  // namespace sotto::collocation
