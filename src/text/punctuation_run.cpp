#include "text/punctuation_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/char_kind.hpp"

namespace sotto::text {
namespace {

/// The role that a character can have in a run.
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

/// Reads a run from its beginning, one part of the form after another.
template <class Char>
class RunReader {
 public:
  constexpr RunReader(std::basic_string_view<Char> run, RunNeighbours neighbours)
      : run_(run), neighbours_(neighbours), next_(part(0)) {}

  constexpr bool is_ordinary() {
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

  /// The part of the character at `position`; none at the end.
  constexpr Part part(std::size_t position) const {
    if (position >= run_.size()) return Part::none;
    const auto value = static_cast<char32_t>(run_[position]);
    return value < 0x80 ? kAsciiParts[value] : part_beyond_ascii(value);
  }

  constexpr void advance() { next_ = part(++position_); }

  /// Skips at most `most` characters of the part `wanted`; returns true if there was one.
  constexpr bool take(Part wanted, std::size_t most) {
    std::size_t taken = 0;
    for (; taken < most && next_ == wanted; ++taken) advance();
    return taken > 0;
  }

  constexpr bool take_one_of(std::u32string_view symbols) {
    if (next_ != Part::symbol || symbols.find(static_cast<char32_t>(run_[position_])) == symbols.npos)
      return false;
    advance();
    return true;
  }

  constexpr bool end() {
    const bool dots = take(Part::dot, kAny);
    const bool marks = take(Part::mark, kAny);
    return (marks && take(Part::dot, kAny)) || dots || marks;
  }

  /// A single hyphen is not consumed.
  constexpr bool dashes() {
    if (take(Part::dash, kAny)) return true;
    return next_ == Part::hyphen && part(position_ + 1) == Part::hyphen && take(Part::hyphen, kAny);
  }

  /// Quotes and brackets of one direction; returns true if there was one.
  constexpr bool brackets(Part bracket, bool allowed) {
    std::size_t taken = 0;
    int count = 0;
    for (; taken < 4 && (next_ == Part::quote || next_ == bracket); ++taken) {
      if (next_ == bracket) ++count;
      advance();
    }
    good_ = good_ && count <= (allowed ? 2 : 0);
    return taken > 0;
  }

  std::basic_string_view<Char> run_;
  RunNeighbours neighbours_;
  std::size_t position_ = 0;
  Part next_;  // none at the end of the run
  bool good_ = true;
};

constexpr std::array<std::u32string_view, 6> kWholeRuns = {U"(!)",   U"(?)",      U"(...)",
                                                           U"[...]", U"(\u2026)", U"[\u2026]"};

template <class Char>
constexpr bool is_whole_run(std::basic_string_view<Char> run, RunNeighbours neighbours) {
  const auto is = [run](std::u32string_view other) {
    return std::equal(run.begin(), run.end(), other.begin(), other.end(),
                      [](Char a, char32_t b) { return static_cast<char32_t>(a) == b; });
  };
  if (neighbours.token_before && is(U"-,")) return true;
  return std::any_of(kWholeRuns.begin(), kWholeRuns.end(), is);
}

template <class Char>
constexpr bool has_ordinary_form(std::basic_string_view<Char> run, RunNeighbours neighbours) {
  return RunReader<Char>(run, neighbours).is_ordinary() || is_whole_run(run, neighbours);
}

/// The answers for two ASCII characters, which nearly all runs are; one bit per combination of neighbours.
class PairTable {
 public:
  constexpr PairTable() {
    for (char first = kFirst; first <= kLast; ++first) {
      for (char second = kFirst; second <= kLast; ++second) {
        if (is_ascii_alphanumeric(static_cast<unsigned char>(first)) ||
            is_ascii_alphanumeric(static_cast<unsigned char>(second)))
          continue;
        const char run[] = {first, second};
        for (const RunNeighbours neighbours : {RunNeighbours{false, false}, RunNeighbours{false, true},
                                               RunNeighbours{true, false}, RunNeighbours{true, true}})
          if (has_ordinary_form(std::string_view(run, 2), neighbours))
            answers_[index(first, second)] |= static_cast<std::uint8_t>(1U << bit(neighbours));
      }
    }
  }

  bool is_ordinary(char first, char second, RunNeighbours neighbours) const {
    return (answers_[index(first, second)] >> bit(neighbours) & 1) != 0;
  }

 private:
  static constexpr char kFirst = '!';
  static constexpr char kLast = '~';
  static constexpr std::size_t kCount = kLast - kFirst + 1;

  static constexpr std::size_t index(char first, char second) {
    return static_cast<std::size_t>(first - kFirst) * kCount + static_cast<std::size_t>(second - kFirst);
  }
  static constexpr unsigned bit(RunNeighbours neighbours) {
    return (neighbours.token_before ? 2U : 0U) + (neighbours.token_after ? 1U : 0U);
  }

  std::array<std::uint8_t, kCount * kCount> answers_{};
};

constexpr PairTable kPairs;

}  // namespace

bool is_ordinary_run(std::u32string_view run, RunNeighbours neighbours) {
  return has_ordinary_form(run, neighbours);
}

bool is_ordinary_run(std::string_view run, RunNeighbours neighbours) {
  return run.size() == 2 ? kPairs.is_ordinary(run[0], run[1], neighbours)
                         : has_ordinary_form(run, neighbours);
}

}  // namespace sotto::text
