// Documents before and after, side by side.
#pragma once

#include <cstddef>
#include <string>

#include <sotto/preview.hpp>

namespace sotto::cli {

/// The documents of a preview for a terminal of this width: in two columns or, if it is narrow, one below the
/// other. What comes from the documents is made visible; with `colours`, changed words are coloured.
std::string preview_table(const Preview& preview, std::size_t width, bool colours);

}  // namespace sotto::cli
