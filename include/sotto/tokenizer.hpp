// Text to tokens with byte offsets. The classes and their borders are part of what a receipt reveals, so a
// change here that moves a border must raise kTokenizerVersion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

inline constexpr int kTokenizerVersion = 2;

enum class TokenClass : std::uint8_t {
  word,         ///< letters of the Latin script with their diacritics; single apostrophes and hyphens between
                ///< letters
  number,       ///< ASCII digits, with single '.' or ',' between digits
  punctuation,  ///< one character of a fixed whitelist (ASCII punctuation and what is ordinary in English
                ///< prose) that stands alone or in an ordinary run such as "..." or "),". Which runs are
                ///< ordinary is laid down in src/text/punctuation_run.hpp
  other,  ///< anything else (URL, e-mail address, emoji, emoticons and other runs of symbols, letters mixed
          ///< with digits or joined by underscores, other scripts, control and invisible characters);
          ///< treated as a word outside the vocabulary
};

/// A token is text[begin, end). What lies between tokens is whitespace: the ASCII blanks and line ends,
/// U+00A0, U+1680, U+2000–200A, U+2028, U+2029, U+202F, U+205F, U+3000, and nothing else.
struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  TokenClass token_class;
  bool ascii;            ///< all bytes below 0x80
  bool starts_sentence;  ///< first word, number or other of a sentence, judged by punctuation, whitespace and
                         ///< token classes alone, so that it says nothing more about the words
};

/// Replaces the content of `tokens` by the tokens of `text`, in order. `text` must be valid UTF-8 (see
/// replace_invalid_utf8; an invalid byte would count as an unknown symbol) and shorter than 4 GiB. The vector
/// is best used again for the next text. Takes linear time. Thread-safe.
void tokenize(std::string_view text, std::vector<Token>& tokens);

/// True when `text` is valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. Thread-safe.
bool is_valid_utf8(std::string_view text);

/// A copy of `text` in which each maximal subpart of an ill-formed sequence (as the Unicode Standard
/// recommends) is one U+FFFD; `replaced` is increased by their number. Thread-safe.
std::string replace_invalid_utf8(std::string_view text, std::uint64_t& replaced);

/// A sentence: the tokens [first, last) of a text.
struct TokenRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// The sentences of `text`, in order; together they hold all its tokens. `tokens` is what tokenize() made of
/// `text`. Punctuation after the sentence end belongs to the next sentence, unless no word follows.
/// Thread-safe.
std::vector<TokenRange> split_sentences(std::string_view text, const std::vector<Token>& tokens);

/// True for an English stopword, given in lower case with plain apostrophes ("don't"). Thread-safe.
bool is_stopword(std::string_view lower_case_word);

}  // namespace sotto
