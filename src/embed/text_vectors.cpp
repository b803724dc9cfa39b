#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "embed/vector_reader.hpp"

namespace sotto::embed {
namespace {

// 32768 numbers of 25 characters each, plus a word.
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::uint64_t kLinesBetweenReports = 1024;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// A number outside the range of float: 0 if too small, infinite (and refused with its row) if too large.
float out_of_range_value(std::string_view number) {
  double wide = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), wide);
  const bool tiny = error == std::errc() ? std::abs(wide) < 1 : number.find("e-") != std::string_view::npos;
  return tiny ? static_cast<float>(wide) : HUGE_VALF;
}

// Reads a float from [begin, end); returns its end, or `begin` if there is none.
const char* parse_float(const char* begin, const char* end, float& value) {
  const char* digits = begin != end && *begin == '+' ? begin + 1 : begin;
  const auto [stop, error] = std::from_chars(digits, end, value);
  if (error == std::errc::invalid_argument) return begin;
  if (error == std::errc::result_out_of_range) value = out_of_range_value({digits, stop});
  return stop;
}

bool is_number(std::string_view column) {
  float ignored = 0;
  return !column.empty() &&
         parse_float(column.data(), column.data() + column.size(), ignored) == column.data() + column.size();
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> columns;
  std::size_t begin = 0;
  while (begin < line.size()) {
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end])) ++end;
    columns.push_back(line.substr(begin, end - begin));
    while (end < line.size() && is_blank(line[end])) ++end;
    begin = end;
  }
  return columns;
}

class TextReader {
 public:
  TextReader(VectorSource& source, const std::optional<VectorHeader>& header)
      : source_(source), header_(header), place_{source.input.name(), "line", header ? 1U : 0U} {}

  Result<void> read() {
    std::string_view line;
    std::uint64_t words = 0;
    while (!source_.table.is_complete()) {
      ++place_.number;
      SOTTO_ASSIGN(const bool more, next_line(line));
      if (!more) return check_count(words);
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      if (line.empty()) return place_.error("the line is empty");
      if (!header_ && place_.number == 1) SOTTO_TRY(take_dimension(line));
      ++words;
      if (header_ && words > header_->words)
        return place_.error(fmt::format("the header promises {} words, but there are more", header_->words));
      SOTTO_TRY(read_line(line));
      if (words % kLinesBetweenReports == 0) SOTTO_TRY(source_.report_progress());
    }
    return {};
  }

 private:
  Result<bool> next_line(std::string_view& line) {
    Result<bool> more = source_.input.next_line(line, kLongestLine);
    if (!more && more.error().code == Errc::limit) return place_.error(describe(more.error()));
    return more;
  }

  Result<void> check_count(std::uint64_t words) const {
    if (!header_ || words == header_->words) return {};
    return fail(Errc::bad_format, fmt::format("{}: the header promises {} words, but the file ends after {}",
                                              source_.input.name(), header_->words, words));
  }

  Result<void> take_dimension(std::string_view line) {
    const std::vector<std::string_view> columns = split(line);
    if (columns.size() < 2 || !is_number(columns[1]) || !is_number(columns.back()))
      return place_.error("neither GloVe nor word2vec text (a word and numbers), nor a known binary format");
    return source_.table.set_dimension(columns.size() - 1, place_);
  }

  Result<void> read_line(std::string_view line) {
    const std::size_t word_end = std::min(line.find_first_of(" \t"), line.size());
    row_.resize(source_.table.dimension());
    if (!parse_row(line.substr(word_end))) return explain(line);
    SOTTO_ASSIGN(const auto row, source_.table.add_word(line.substr(0, word_end), place_));
    if (!row) return {};
    std::copy(row_.begin(), row_.end(), source_.table.add_values().begin());
    return source_.table.finish_row(*row, place_);
  }

  // Requires exactly as many numbers as the dimension.
  bool parse_row(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (float& value : row_) {
      const char* const begin = at;
      while (at != end && is_blank(*at)) ++at;
      if (at == begin) return false;
      const char* const stop = parse_float(at, end, value);
      if (stop == at) return false;
      at = stop;
    }
    return at == end;
  }

  // Why a line could not be read. A word with blanks inside is not an error, but is omitted.
  Result<void> explain(std::string_view line) {
    const std::vector<std::string_view> columns = split(line);
    const std::size_t dimension = source_.table.dimension();
    if (columns.size() < dimension + 1 || columns.front().empty())
      return place_.error(
          fmt::format("{} columns after the word, {} expected", columns.size() - 1, dimension));
    const auto numbers = std::span(columns).last(dimension);
    const auto odd = std::find_if_not(numbers.begin(), numbers.end(), is_number);
    if (columns.size() == dimension + 1)
      return place_.error(fmt::format(
          "column {} after the word is not a number",
          odd == numbers.end() ? dimension : static_cast<std::size_t>(odd - numbers.begin()) + 1));
    if (odd == numbers.end() && !is_number(columns[columns.size() - dimension - 1])) {
      ++source_.skipped;
      return {};
    }
    return place_.error(fmt::format("{} columns after the word, {} expected", columns.size() - 1, dimension));
  }

  VectorSource& source_;
  const std::optional<VectorHeader>& header_;
  Place place_;
  std::vector<float> row_;
};

}  // namespace

Result<void> read_text_vectors(VectorSource& source, const std::optional<VectorHeader>& header) {
  return TextReader(source, header).read();
}

}  // namespace sotto::embed
