// The general tokenizer: one code point at a time, all classes, all scripts. It defines the token boundaries;
// the fast path of tokenize() is equivalent for plain ASCII.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "text/token_writer.hpp"

namespace sotto::text {

/// Appends the tokens of text[begin, end), which must be bounded by whitespace or the ends of the text.
/// `pending`: whether the next word begins a sentence; returns the same for what follows. Takes time linear
/// in end − begin. An invalid UTF-8 byte counts as an unknown symbol. Thread-safe.
bool scan_tokens(std::string_view text, std::size_t begin, std::size_t end, bool pending,
                 TokenWriter& tokens);

/// tokenize() without the fast path.
void tokenize_by_code_point(std::string_view text, std::vector<Token>& tokens);

}  // namespace sotto::text
