// Which token of an output stands for which token of its input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

namespace sotto::server {

/// A token of a text, in offsets that JavaScript counts in.
struct TextToken {
  std::string_view text;
  std::uint32_t begin = 0;  ///< in UTF-16 code units
  std::uint32_t end = 0;
  TokenClass token_class = TokenClass::word;
  std::uint32_t sentence = 0;  ///< counted from 0
};

/// The tokens of valid UTF-8, which must outlive them.
std::vector<TextToken> text_tokens(std::string_view text);

/// The tokens of `output` one by one for those of `input`, or nullopt if they do not match: their numbers
/// differ, or the whitespace or the punctuation between words, which rewriting keeps.
std::optional<std::vector<std::string>> matching_tokens(std::string_view input,
                                                        const std::vector<TextToken>& input_tokens,
                                                        std::string_view output);

/// Lower case without compatibility forms, and with plain apostrophes.
std::string folded(std::string_view word);

}  // namespace sotto::server
