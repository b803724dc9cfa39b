#include "pipeline/rewrite/number_draws.hpp"

#include <array>

#include "random/integer_samplers.hpp"

namespace sotto::pipeline {
namespace {

constexpr std::uint64_t kFirstYear = 1900;
constexpr std::uint64_t kYears = 200;
constexpr std::size_t kMostParts = 3;

/// Numbers with one separator between any two, or the parts of a number such as 1.5.2020.
struct NumberChain {
  std::size_t numbers = 1;  ///< tokens
  std::size_t parts = 0;
  std::array<std::size_t, kMostParts> digits{};  ///< of the first parts
  char separator = 0;
  bool plain = true;  ///< only digits between the separators

  void add_part(std::size_t count) {
    if (parts < kMostParts) digits[parts] = count;
    ++parts;
  }

  bool is_time() const {
    return plain && separator == ':' && (parts == 2 || parts == 3) && digits[0] <= 2 && digits[1] == 2 &&
           (parts == 2 || digits[2] == 2);
  }
  bool is_date() const {
    const bool year_first = digits[0] == 4 && digits[2] <= 2;
    const bool year_last = digits[0] <= 2 && digits[2] == 4;
    return plain && separator != 0 && separator != ':' && parts == 3 && digits[1] <= 2 &&
           (year_first || year_last);
  }
};

/// The separator between token `first` and the next number, if nothing else is there; otherwise 0.
char separator_after(const PlannedText& planned, std::size_t first, std::size_t next) {
  if (next != first + 2) return 0;
  const Token& between = planned.tokens[first + 1];
  const bool adjacent =
      between.begin == planned.tokens[first].end && planned.tokens[next].begin == between.end;
  const std::string_view text = token_text(planned.text, between);
  return adjacent && (text == ":" || text == "-" || text == "/") ? text[0] : '\0';
}

/// The parts of a number that has dots.
NumberChain dotted_parts(std::string_view number) {
  NumberChain chain;
  chain.plain = number.find(',') == std::string_view::npos;
  chain.separator = '.';
  while (true) {
    const std::size_t dot = number.find('.');
    chain.add_part(number.substr(0, dot).size());
    if (dot == std::string_view::npos) return chain;
    number.remove_prefix(dot + 1);
  }
}

/// The chain that begins at number `first` of planned.numbers.
NumberChain chain_at(const PlannedText& planned, std::size_t first) {
  const std::vector<std::uint32_t>& numbers = planned.numbers;
  const auto text = [&](std::size_t i) { return token_text(planned.text, planned.tokens[numbers[i]]); };
  NumberChain chain;
  const auto take = [&](std::size_t i) {
    chain.plain &= text(i).find_first_of(".,") == std::string_view::npos;
    chain.add_part(text(i).size());
  };
  take(first);
  for (std::size_t i = first; i + 1 < numbers.size(); ++i, ++chain.numbers) {
    const char separator = separator_after(planned, numbers[i], numbers[i + 1]);
    if (separator == 0 || (chain.separator != 0 && separator != chain.separator)) break;
    chain.separator = separator;
    take(i + 1);
  }
  return chain.numbers == 1 ? dotted_parts(text(first)) : chain;
}

char* write_padded(char* to, std::uint64_t value, std::size_t digits) {
  for (std::size_t i = digits; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + digits;
}

char* draw_time(BitSource& bits, const NumberChain& chain, char* to) {
  const std::uint64_t hours = chain.digits[0] == 1 ? 10 : 24;
  const std::uint64_t rest = chain.parts == 3 ? 3600 : 60;
  const std::uint64_t value = random::uniform_below(bits, hours * rest);
  to = write_padded(to, value / rest, chain.digits[0]);
  if (chain.parts == 3) to = write_padded(to, value / 60 % 60, 2);
  return write_padded(to, value % 60, 2);
}

std::uint64_t days_in(std::uint64_t year, std::uint64_t month) {
  constexpr std::array<std::uint8_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (month == 2 && leap ? 1U : 0U);
}

struct CalendarDate {
  std::uint64_t year;
  std::uint64_t month;
  std::uint64_t day;
};

/// Uniform among the dates whose day and month have at most so many digits.
CalendarDate uniform_date(BitSource& bits, std::size_t day_digits, std::size_t month_digits) {
  const std::uint64_t months = month_digits == 1 ? 9 : 12;
  const auto days = [&](std::uint64_t year, std::uint64_t month) {
    return day_digits == 1 ? 9 : days_in(year, month);
  };
  const auto days_of_year = [&](std::uint64_t year) {
    std::uint64_t sum = 0;
    for (std::uint64_t month = 1; month <= months; ++month) sum += days(year, month);
    return sum;
  };
  const std::uint64_t ordinary = days_of_year(kFirstYear);
  std::uint64_t all = kYears * ordinary;
  for (std::uint64_t year = kFirstYear; day_digits > 1 && year < kFirstYear + kYears; ++year)
    all += days_in(year, 2) - 28;
  std::uint64_t rest = random::uniform_below(bits, all);
  CalendarDate date{kFirstYear, 1, 1};
  for (;; ++date.year) {
    const std::uint64_t size = ordinary + (day_digits > 1 ? days_in(date.year, 2) - 28 : 0);
    if (rest < size) break;
    rest -= size;
  }
  for (; rest >= days(date.year, date.month); ++date.month) rest -= days(date.year, date.month);
  date.day += rest;
  return date;
}

char* draw_date(BitSource& bits, const NumberChain& chain, char* to) {
  const bool year_first = chain.digits[0] == 4;
  const std::size_t day_digits = chain.digits[year_first ? 2 : 0];
  const std::size_t month_digits = chain.digits[1];
  const CalendarDate date = uniform_date(bits, day_digits, month_digits);
  if (year_first) to = write_padded(to, date.year, 4);
  if (!year_first) to = write_padded(to, date.day, day_digits);
  to = write_padded(to, date.month, month_digits);
  return year_first ? write_padded(to, date.day, day_digits) : write_padded(to, date.year, 4);
}

char* draw_number(BitSource& bits, std::string_view number, char* to) {
  const std::size_t count = digit_count(number);
  if (count > 1) {
    *to = static_cast<char>('1' + random::uniform_below(bits, 9));
    random::uniform_digits(bits, {to + 1, count - 1});
  } else {
    random::uniform_digits(bits, {to, count});
  }
  return to + count;
}

}  // namespace

void draw_numbers(BitSource& bits, PlannedText& planned) {
  char* to = planned.digits.data();
  for (std::size_t i = 0; i < planned.numbers.size();) {
    const NumberChain chain = chain_at(planned, i);
    if (chain.is_time() || chain.is_date()) {
      to = chain.is_time() ? draw_time(bits, chain, to) : draw_date(bits, chain, to);
      i += chain.numbers;
      continue;
    }
    // The last number of a chain may begin one with another separator: "9-12:30".
    const std::size_t end = i + std::max<std::size_t>(chain.numbers - 1, 1);
    for (; i < end; ++i)
      to = draw_number(bits, token_text(planned.text, planned.tokens[planned.numbers[i]]), to);
  }
}

}  // namespace sotto::pipeline
