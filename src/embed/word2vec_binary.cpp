#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "embed/vector_reader.hpp"

namespace sotto::embed {
namespace {

constexpr std::size_t kLongestBinaryWord = 1 << 16;
constexpr std::uint64_t kRecordsBetweenReports = 1024;

// The word of the next record, consumed along with the newline before it and the blank after it. Valid until
// the next call.
Result<std::string_view> take_word(base::BufferedInput& input, const Place& place, std::uint64_t promised) {
  const auto ends_early = [&] {
    return place.error(fmt::format("the file ends at byte {}; the header promises {} words",
                                   input.offset() + input.window().size(), promised));
  };
  SOTTO_TRY(input.fill(1));
  while (!input.window().empty() && input.window().front() == '\n') {
    input.consume(1);
    SOTTO_TRY(input.fill(1));
  }
  std::size_t end = input.window().find(' ');
  if (end == std::string_view::npos) {
    SOTTO_TRY(input.fill(kLongestBinaryWord));
    end = input.window().find(' ');
    if (end == std::string_view::npos && input.window().size() < kLongestBinaryWord) return ends_early();
    if (end == std::string_view::npos)
      return place.error(fmt::format("no blank after the word at byte {}", input.offset()));
  }
  const std::string_view word = input.window().substr(0, end);
  input.consume(end + 1);
  return word;
}

}  // namespace

Result<void> read_word2vec_binary(VectorSource& source, const VectorHeader& header) {
  base::BufferedInput& input = source.input;
  Place place{input.name(), "record", 0};
  std::vector<float> values(source.table.dimension());
  while (place.number < header.words && !source.table.is_complete()) {
    ++place.number;
    SOTTO_ASSIGN(const std::string_view word, take_word(input, place, header.words));
    // Before the values are read, because the word is in the input's buffer.
    SOTTO_ASSIGN(const auto row, source.table.add_word(word, place));
    SOTTO_ASSIGN(const bool whole,
                 input.read_exactly(reinterpret_cast<char*>(values.data()), values.size() * sizeof(float)));
    if (!whole)
      return place.error(fmt::format("the file ends inside a vector at byte {}; the header promises {} words",
                                     input.offset(), header.words));
    if (row) {
      std::copy(values.begin(), values.end(), source.table.add_values().begin());
      SOTTO_TRY(source.table.finish_row(*row, place));
    }
    if (place.number % kRecordsBetweenReports == 0) SOTTO_TRY(source.report_progress());
  }
  if (place.number < header.words) return {};
  SOTTO_TRY(input.fill(2));
  if (input.window().empty() || input.window() == "\n") return {};
  return fail(Errc::bad_format,
              fmt::format("{}: the header promises {} words, but more data follows at byte {}", input.name(),
                          header.words, input.offset()));
}

}  // namespace sotto::embed
