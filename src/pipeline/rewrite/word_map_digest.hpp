// The digest of the map of words in models/, written by tools/pin_word_map.py.
#pragma once

#include <string_view>

namespace sotto::pipeline {

inline constexpr std::string_view kShippedWordMapDigest =
    "2568d8388f6f1bc407416f14afa1b59cfa0fbdae71a8b7800dd33595f12860f1";

}  // namespace sotto::pipeline
