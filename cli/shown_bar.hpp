// Whether a progress bar is on the screen: what every writer to standard error must know, and all of it.
#pragma once

#include <atomic>
#include <string_view>

namespace sotto::cli {

inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// Set by the bar. Whoever writes a message erases the line first. Read inside signal handlers.
inline std::atomic<bool> bar_is_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace sotto::cli
