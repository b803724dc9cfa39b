// GPT-2's alphabet for bytes and its pattern for words. All functions are thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sotto {

/// The pattern as its authors wrote it; tokenizer files quote it.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Where the word that begins at text[position] ends; the words of the pattern cover the whole text. `text`
/// is valid UTF-8, position < text.size().
std::size_t gpt2_word_end(std::string_view text, std::size_t position);

/// Where the first word of `text` ends if a blank stood before the text; 0 when the blank is a word alone.
std::size_t gpt2_word_end_after_blank(std::string_view text);

/// The printable character that stands for a byte in the vocabulary, as UTF-8 ("Ġ" for a blank).
std::string_view byte_symbol(unsigned char byte);

/// The bytes that a token of the vocabulary stands for; nothing when a character of it stands for no byte.
std::optional<std::string> symbols_to_bytes(std::string_view token);

}  // namespace sotto
