// The terminal that a stream is connected to.
#pragma once

#include <cstddef>

namespace sotto::cli {

/// The columns of the terminal behind a descriptor; if it is none, $COLUMNS, otherwise 80.
std::size_t terminal_width(int descriptor);

/// Whether to colour what is written to a descriptor: it is a terminal that can, and NO_COLOR is not set.
bool wants_colours(int descriptor);

}  // namespace sotto::cli
