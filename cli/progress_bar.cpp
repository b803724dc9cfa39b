#include "progress_bar.hpp"

#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "interruption.hpp"
#include "shown_bar.hpp"
#include "terminal.hpp"

namespace sotto::cli {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
// Work that reports nothing is shown only if it takes this long.
constexpr auto kPatience = std::chrono::milliseconds(1500);

}  // namespace

ProgressBar::ProgressBar(std::string unit, bool quiet) : visible_(!quiet && ::isatty(STDERR_FILENO) != 0) {
  state_.unit = std::move(unit);
  if (!visible_) return;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // There are no more threads; reports still draw.
  }
}

ProgressBar::~ProgressBar() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (bar_is_shown.exchange(false)) fmt::print(stderr, "{}", kEraseLine);
}

ProgressCallback ProgressBar::callback() {
  return [this](std::uint64_t done, std::uint64_t total) {
    if (visible_) report(done, total);
    return !interrupted();
  };
}

void ProgressBar::report(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  state_.total = total;
  if (done < state_.done) state_.done = first_done_ = 0;  // something else is counted from now on
  if (state_.done == 0 && done > 0) {
    counted_from_ = now;
    first_done_ = done;
  }
  state_.done = done;
  if (now - drawn_at_ >= kRedrawInterval) draw(now);
}

void ProgressBar::tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kRedrawInterval, [this] { return ended_; })) {
    const Clock::time_point now = Clock::now();
    const bool is_late = now - begin_ >= kPatience && now - drawn_at_ >= 5 * kRedrawInterval;
    if (is_late) draw(now);
  }
}

void ProgressBar::draw(Clock::time_point now) {
  drawn_at_ = now;
  state_.seconds = std::chrono::duration<double>(now - begin_).count();
  const double counted = std::chrono::duration<double>(now - counted_from_).count();
  state_.rate = counted > 0 ? static_cast<double>(state_.done - first_done_) / counted : 0;
  bar_is_shown = true;
  // Asked each time, because the window may have been resized.
  fmt::print(stderr, "{}{}", kEraseLine, bar_text(state_, terminal_width(STDERR_FILENO)));
  std::fflush(stderr);
}

}  // namespace sotto::cli
