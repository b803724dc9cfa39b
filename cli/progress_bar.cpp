#include "progress_bar.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 24;

std::string amount(double value, const std::string& unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  int prefix = 0;
  for (; value >= 1000 && prefix < 4; ++prefix) value /= 1000;
  return fmt::format("{:.{}f} {}{}", value, prefix == 0 ? 0 : 1, kPrefixes[prefix], unit);
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(std::string unit, bool quiet)
    : unit_(std::move(unit)), visible_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

ProgressCallback ProgressBar::callback() {
  return [this](std::uint64_t done, std::uint64_t total) {
    if (visible_ && Clock::now() - last_ >= kRedrawInterval) draw(done, total);
    return !interrupted();
  };
}

void ProgressBar::draw(std::uint64_t done, std::uint64_t total) {
  last_ = Clock::now();
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(last_ - begin_).count();
  const double rate = static_cast<double>(done) / seconds;
  if (total == 0) {
    fmt::print(stderr, "\r\x1b[K{}  {}/s", amount(static_cast<double>(done), unit_), amount(rate, unit_));
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const int filled = static_cast<int>(share * kWidth);
    fmt::print(stderr, "\r\x1b[K[{:=<{}}{:<{}}] {:3.0f}%  {} of {}  {}/s  {} left", "", filled, "",
               kWidth - filled, 100 * share, amount(static_cast<double>(done), unit_),
               amount(static_cast<double>(total), unit_), amount(rate, unit_),
               duration(static_cast<double>(total - std::min(done, total)) / rate));
  }
  std::fflush(stderr);
}

}  // namespace sotto::cli
