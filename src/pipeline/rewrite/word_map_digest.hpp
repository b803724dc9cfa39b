// The digest of the map of words in models/, written by tools/pin_word_map.py.
#pragma once

#include <string_view>

namespace sotto::pipeline {

inline constexpr std::string_view kShippedWordMapDigest =
    "f0045e347d6053879de6697a474eae03ac550e1d9f2b05311c4c83990d2154a8";

}  // namespace sotto::pipeline
