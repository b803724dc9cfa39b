#include "embed/vector_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "embed/model_file.hpp"

namespace sotto::embed {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kLongestHeader = 256;
constexpr std::size_t kSample = 4096;

// Consumes a whole number and the blanks after it. A number too large for 64 bits becomes the largest one,
// which is refused later with a message about sizes.
std::optional<std::uint64_t> take_integer(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) value = ~std::uint64_t{0};
  if (end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const std::size_t blanks = std::min(text.find_first_not_of(kBlanks), text.size());
  if (blanks == 0 && !text.empty()) return std::nullopt;
  text.remove_prefix(blanks);
  return value;
}

// Exactly "number number".
std::optional<VectorHeader> parse_header(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto words = take_integer(line);
  const auto dimension = take_integer(line);
  if (!words || !dimension || !line.empty()) return std::nullopt;
  return VectorHeader{*words, *dimension};
}

// Binary floats contain zero bytes, other control characters or invalid UTF-8; text does not.
bool looks_like_text(std::string_view sample, bool cut_off) {
  for (const char c : sample)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
  // The sample may end inside a character.
  for (int dropped = 0; dropped < 4; ++dropped) {
    if (is_valid_utf8(sample)) return true;
    if (!cut_off || sample.empty()) return false;
    sample.remove_suffix(1);
  }
  return false;
}

Result<void> check_header(const VectorHeader& header, VectorTable& table, std::string_view file) {
  const Place place{file, "line", 1};
  if (header.words == 0) return place.error("the header promises no words");
  if (header.words > kLargestVocabulary)
    return place.error(
        fmt::format("the header promises {} words, more than {}", header.words, kLargestVocabulary));
  return table.set_dimension(header.dimension, place);
}

bool has_fasttext_magic(std::string_view window) {
  std::int32_t magic = 0;
  if (window.size() < sizeof(magic)) return false;
  std::memcpy(&magic, window.data(), sizeof(magic));
  return magic == kFasttextMagic;
}

}  // namespace

Result<void> VectorSource::report_progress() const {
  if (!progress || progress(input.file_position(), input.file_size())) return {};
  return fail(Errc::interrupted, fmt::format("import of {} was stopped", input.name()));
}

Result<std::string_view> read_vectors(VectorSource& source) {
  base::BufferedInput& input = source.input;
  SOTTO_TRY(input.fill(kLongestHeader + kSample));
  if (input.window().empty())
    return fail(Errc::bad_format, fmt::format("{}: the file is empty", input.name()));
  if (has_fasttext_magic(input.window())) {
    SOTTO_TRY(read_fasttext_binary(source));
    return "fastText binary";
  }
  const std::size_t line_end = std::min(input.window().find('\n'), input.window().size());
  const auto header =
      line_end <= kLongestHeader ? parse_header(input.window().substr(0, line_end)) : std::nullopt;
  if (!header) {
    SOTTO_TRY(read_text_vectors(source, header));
    return "GloVe text";
  }
  SOTTO_TRY(check_header(*header, source.table, input.name()));
  input.consume(std::min(line_end + 1, input.window().size()));
  const std::string_view sample = input.window().substr(0, kSample);
  if (looks_like_text(sample, sample.size() == kSample)) {
    SOTTO_TRY(read_text_vectors(source, header));
    return "word2vec text";
  }
  SOTTO_TRY(read_word2vec_binary(source, *header));
  return "word2vec binary";
}

}  // namespace sotto::embed
