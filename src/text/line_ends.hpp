// Where lines end: at LF, at CR LF, and at a lone CR.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::text {

/// A line terminator at [begin, end); both are npos if there is none.
struct LineEnd {
  std::size_t begin = std::string_view::npos;
  std::size_t end = std::string_view::npos;
};

/// Finds successive line terminators. It remembers the positions of the next LF and the next CR, so text with
/// one kind of terminator costs one memchr per line, which is vectorized in the C library, and the search for
/// the other kind happens once.
class LineEnds {
 public:
  /// If `at_end`, nothing follows the data. Otherwise a CR that is its last byte may be half of a terminator
  /// and is not reported yet.
  LineEnds(std::string_view data, bool at_end)
      : data_(data), at_end_(at_end), line_feed_(data.find('\n')), carriage_return_(data.find('\r')) {}

  /// The first line terminator at or after `from`, which must not be less than in the previous call.
  LineEnd next(std::size_t from) {
    if (line_feed_ < from) line_feed_ = data_.find('\n', from);
    if (carriage_return_ < from) carriage_return_ = data_.find('\r', from);
    if (line_feed_ < carriage_return_) return {line_feed_, line_feed_ + 1};
    if (carriage_return_ == std::string_view::npos) return {};
    const std::size_t after = carriage_return_ + 1;
    if (after == data_.size() && !at_end_) return {};
    return {carriage_return_, after == line_feed_ ? after + 1 : after};
  }

 private:
  std::string_view data_;
  bool at_end_;
  std::size_t line_feed_;        // the first one that next() has not passed, or npos
  std::size_t carriage_return_;  // the same
};

/// The number of line terminators in `text`; faster if all are LF.
inline std::uint64_t count_line_ends(std::string_view text) {
  if (text.find('\r') == std::string_view::npos)
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  LineEnds lines(text, true);
  std::uint64_t count = 0;
  for (LineEnd line = lines.next(0); line.end != std::string_view::npos; line = lines.next(line.end)) ++count;
  return count;
}

}  // namespace sotto::text
