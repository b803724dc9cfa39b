// The digest of the map of words in models/, written by tools/pin_word_map.py.
#pragma once

#include <string_view>

namespace sotto::pipeline {

inline constexpr std::string_view kShippedWordMapDigest =
    "91fe4d8aad522031cc698014daa1fe2b098cc5bdb1501e06f7cbee96a8b2b730";

}  // namespace sotto::pipeline
