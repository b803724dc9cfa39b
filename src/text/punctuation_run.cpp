#include "text/punctuation_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/utf8.hpp"

namespace sotto {
namespace {

/// The part that a character can play in a run.
enum class Part : std::uint8_t {
  none,
  dot,
  mark,
  quote,
  closing,
  opening,
  comma,
  colon,
  hyphen,
  dash,
  symbol
};

constexpr Part part_beyond_ascii(char32_t value) {
  if (value == 0x2026) return Part::dot;
  if (value == 0xAB || value == 0xBB || value == 0x2039 || value == 0x203A) return Part::quote;
  if (value >= 0x2018 && value <= 0x201F) return Part::quote;
  if (value == 0xA1 || value == 0xBF) return Part::opening;
  if (value == 0x2010 || value == 0x2011) return Part::hyphen;
  if (value >= 0x2012 && value <= 0x2015) return Part::dash;
  return Part::symbol;
}

constexpr Part part_in_ascii(char value) {
  switch (value) {
    case '.':
      return Part::dot;
    case '!':
    case '?':
      return Part::mark;
    case '"':
    case '\'':
    case '`':
      return Part::quote;
    case ')':
    case ']':
      return Part::closing;
    case '(':
    case '[':
      return Part::opening;
    case ',':
      return Part::comma;
    case ':':
    case ';':
      return Part::colon;
    case '-':
      return Part::hyphen;
    default:
      return Part::symbol;
  }
}

constexpr auto kAsciiParts = [] {
  std::array<Part, 128> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = part_in_ascii(static_cast<char>(i));
  return parts;
}();

/// Symbols that belong to the token before them, and to the token after them.
constexpr std::u32string_view kAfterToken =
    U"%*+_>}$\u00A2\u00A3\u00A5\u20AC\u00B0\u00A9\u00AE\u2122\u2030\u2032\u2033\u2020\u2021";
constexpr std::u32string_view kBeforeToken = U"$#@&*+~_<{\u00A2\u00A3\u00A5\u20AC\u00A7\u00B1\u2212";

/// Reads a run from its beginning, one part of the form after the other.
class RunReader {
 public:
  RunReader(std::string_view run, RunNeighbours neighbours) : run_(run), neighbours_(neighbours) { decode(); }

  bool is_ordinary() {
    const bool attached = neighbours_.token_before && take_one_of(kAfterToken);
    dashes();
    end();
    brackets(Part::closing, neighbours_.token_before);
    if (end()) brackets(Part::closing, neighbours_.token_before);
    if (neighbours_.token_before && take(Part::colon, 1)) {
      take(Part::quote, 2);
      dashes();
    } else {
      if (neighbours_.token_before && take(Part::comma, 1)) take(Part::quote, 2);
      if (!dashes()) take(Part::hyphen, 1);
      if (brackets(Part::opening, neighbours_.token_after)) take(Part::hyphen, 1);
    }
    if (!attached && neighbours_.token_after) take_one_of(kBeforeToken);
    return good_ && next_ == Part::none;
  }

 private:
  static constexpr std::size_t kAny = ~std::size_t{0};

  /// Skips at most `most` characters that play `part`; true when there was one.
  bool take(Part part, std::size_t most) {
    std::size_t taken = 0;
    for (; taken < most && next_ == part; ++taken) advance();
    return taken > 0;
  }

  bool take_one_of(std::u32string_view symbols) {
    if (next_ != Part::symbol || symbols.find(value_) == std::u32string_view::npos) return false;
    advance();
    return true;
  }

  bool end() {
    const bool dots = take(Part::dot, kAny);
    const bool marks = take(Part::mark, kAny);
    return (marks && take(Part::dot, kAny)) || dots || marks;
  }

  /// A single hyphen is left where it is.
  bool dashes() {
    if (take(Part::dash, kAny)) return true;
    return next_ == Part::hyphen && run_.substr(position_ + size_).starts_with('-') &&
           take(Part::hyphen, kAny);
  }

  /// Quotes and brackets of one direction; true when there was one.
  bool brackets(Part bracket, bool allowed) {
    std::size_t taken = 0;
    int count = 0;
    for (; taken < 4 && (next_ == Part::quote || next_ == bracket); ++taken) {
      if (next_ == bracket) ++count;
      advance();
    }
    good_ = good_ && count <= (allowed ? 2 : 0);
    return taken > 0;
  }

  void advance() {
    position_ += size_;
    decode();
  }

  void decode() {
    next_ = Part::none;
    if (position_ == run_.size()) return;
    const CodePoint code_point = decode_utf8(run_, position_);
    value_ = code_point.value;
    size_ = code_point.size;
    next_ = value_ < 0x80 ? kAsciiParts[value_] : part_beyond_ascii(value_);
  }

  std::string_view run_;
  RunNeighbours neighbours_;
  std::size_t position_ = 0;
  std::size_t size_ = 0;
  char32_t value_ = 0;
  Part next_ = Part::none;  // none: the run is over
  bool good_ = true;
};

constexpr std::array<std::string_view, 6> kWholeRuns = {"(!)",   "(?)",      "(...)",
                                                        "[...]", "(\u2026)", "[\u2026]"};

}  // namespace

bool is_ordinary_run(std::string_view run, RunNeighbours neighbours) {
  return RunReader(run, neighbours).is_ordinary() || (run == "-," && neighbours.token_before) ||
         std::find(kWholeRuns.begin(), kWholeRuns.end(), run) != kWholeRuns.end();
}

}  // namespace sotto
