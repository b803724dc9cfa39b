#include "bar_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace sotto::cli {
namespace {

std::string amount(double value, const std::string& unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  int prefix = 0;
  for (; value >= 1000 && prefix < 4; ++prefix) value /= 1000;
  return fmt::format("{:.{}f} {}{}", value, prefix == 0 ? 0 : 1, kPrefixes[prefix], unit);
}

std::string duration(double seconds) {
  constexpr double kLongest = 359'999;  // 99:59:59
  const auto whole = static_cast<long>(std::min(seconds, kLongest) + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(double share, int width) {
  const int filled = static_cast<int>(share * width);
  return fmt::format("[{:=<{}}{:<{}}] {:3.0f}%", "", filled, "", width - filled, 100 * share);
}

/// The first of `texts` that leaves a column free; otherwise the beginning of the last.
std::string first_that_fits(const std::vector<std::string>& texts, std::size_t columns) {
  for (const std::string& text : texts)
    if (text.size() < columns) return text;
  return texts.back().substr(0, columns == 0 ? 0 : columns - 1);
}

}  // namespace

std::string bar_text(const BarState& state, std::size_t columns) {
  const std::string elapsed = duration(state.seconds);
  if (state.unit.empty() || (state.done == 0 && state.total == 0))
    return first_that_fits({"working for " + elapsed, elapsed}, columns);
  const std::string done = amount(static_cast<double>(state.done), state.unit);
  const std::string rate = state.rate > 0 ? "  " + amount(state.rate, state.unit) + "/s" : "";
  if (state.total == 0) return first_that_fits({done + rate, done}, columns);
  const double share = std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
  const auto rest = static_cast<double>(state.total - std::min(state.done, state.total));
  const std::string time =
      state.rate > 0 ? "  " + duration(rest / state.rate) + " left" : "  working for " + elapsed;
  const std::string total = amount(static_cast<double>(state.total), state.unit);
  return first_that_fits(
      {bar(share, 24) + fmt::format("  {} of {}", done, total) + rate + time, bar(share, 24) + rate + time,
       bar(share, 10) + time, bar(share, 10), fmt::format("{:.0f}%", 100 * share)},
      columns);
}

}  // namespace sotto::cli
