// GPT-2's byte alphabet and word pattern. All functions are thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::lm {

/// Where the word that starts at text[position] ends. Words are the matches of the pattern that tokenizer
/// files quote, 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, and cover the
/// whole text. `text` is valid UTF-8, position < text.size().
std::size_t gpt2_word_end(std::string_view text, std::size_t position);

/// Where the first word of `text` would end if a blank preceded the text; 0 if the blank is a word by itself.
std::size_t gpt2_word_end_after_blank(std::string_view text);

/// The printable character that represents a byte in the vocabulary, as UTF-8 ("Ġ" for a blank).
std::string_view byte_symbol(unsigned char byte);

/// The bytes that a vocabulary token represents; nullopt if one of its characters represents no byte.
std::optional<std::string> symbols_to_bytes(std::string_view token);

}  // namespace sotto::lm
