// The text of a progress bar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto::cli {

/// What a bar shows.
struct BarState {
  std::string unit;  ///< "B" for bytes or a plain noun; empty: only the time is known
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: unknown
  double rate = 0;          ///< per second; 0: unknown
  double seconds = 0;       ///< since the start
};

/// The most telling text of less than `columns` characters.
std::string bar_text(const BarState& state, std::size_t columns);

}  // namespace sotto::cli
