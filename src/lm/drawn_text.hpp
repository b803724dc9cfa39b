// What all texts rewritten by a language model have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <sotto/bit_source.hpp>

namespace sotto::lm {

/// The text of a document under way. Everything it points to must outlive the rewriting.
struct DrawnText {
  std::string_view text;
  BitSource* bits = nullptr;  ///< not shared with another document
  std::uint64_t draws = 0;    ///< by the mechanism's prepare(): their maximum number
};

/// Called with the number of draws just made; returning false requests a stop.
using DrawsMade = std::function<bool(std::uint64_t draws)>;

}  // namespace sotto::lm
