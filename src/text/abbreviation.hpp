// Dotted abbreviations: "p.m.", "e.g.", "U.S.".
#pragma once

#include <cstddef>
#include <string_view>

namespace sotto::text {

/// The end of the dotted abbreviation that begins at `begin`, or 0 if there is none: two or more single
/// letters of the Latin script, each followed by a full stop, and no letter or digit directly after the last
/// one. What stands before `begin` is not looked at. Takes time linear in its length. Thread-safe.
std::size_t abbreviation_end(std::string_view text, std::size_t begin);

}  // namespace sotto::text
