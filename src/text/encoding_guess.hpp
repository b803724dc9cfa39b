// Whether a file is text in UTF-8, and in which encoding it probably is otherwise.
#pragma once

#include <cstddef>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::text {

/// The bytes at the beginning of a file that are looked at.
inline constexpr std::size_t kEncodingSample = 1 << 18;

/// Returns an error that names the likely encoding if `sample`, the beginning of an input, is hardly UTF-8:
/// at least three ill-formed sequences, and more than one in a thousand bytes. Fewer are damage that a run
/// survives. The sample may end inside a character. `name` is the input's.
Result<void> check_utf8(std::string_view sample, std::string_view name);

struct IllFormedText {
  std::size_t sequences = 0;     ///< that are no UTF-8
  std::string_view likely = {};  ///< the encoding; empty if unknown
};

/// What a run survives, for a warning. An encoding is likely only if nothing beyond ASCII is UTF-8: otherwise
/// the text is damaged UTF-8. The sample may end inside a character.
IllFormedText find_ill_formed(std::string_view sample);

}  // namespace sotto::text
