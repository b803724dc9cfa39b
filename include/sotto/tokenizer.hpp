// Splits text into tokens with byte offsets. The classes and their boundaries are part of what a receipt
// reveals, so any change here that moves a boundary must increment kTokenizerVersion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>

namespace sotto {

inline constexpr int kTokenizerVersion = 3;

/// A dotted abbreviation ("p.m.", "U.S.") is a word: two or more single letters of the Latin script, each
/// followed by a full stop, neither inside a word nor directly after a full stop, and with no letter or digit
/// directly after them. All its full stops belong to it, also where they end a sentence; so it never ends
/// one.
enum class TokenClass : std::uint8_t {
  word,         ///< letters of the Latin script with their diacritics; single apostrophes and hyphens between
                ///< letters; or a dotted abbreviation
  number,       ///< ASCII digits, with single '.' or ',' between digits
  punctuation,  ///< one character of a fixed whitelist (ASCII punctuation and what is common in English
                ///< prose) that is alone or in a common run such as "..." or "),".
                ///< src/text/punctuation_run.hpp defines which runs are common
  other,  ///< anything else (URL, e-mail address, emoji, emoticons and other runs of symbols, letters mixed
          ///< with digits or joined by underscores, other scripts, control and invisible characters); treated
          ///< as a word outside the vocabulary
};

/// A token is text[begin, end). Between tokens there is only whitespace: the ASCII blanks and line ends,
/// U+00A0, U+1680, U+2000–200A, U+2028, U+2029, U+202F, U+205F, U+3000, and nothing else.
struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  TokenClass token_class;
  bool ascii;            ///< all bytes below 0x80
  bool starts_sentence;  ///< first word, number or other of a sentence; depends only on punctuation,
                         ///< whitespace and token classes, so it reveals nothing more about the words
};

/// Replaces the content of `tokens` with the tokens of `text`, in order. `text` must be valid UTF-8 (see
/// replace_invalid_utf8; an invalid byte would count as an unknown symbol) and shorter than 4 GiB. Reuse the
/// vector for the next text to save allocations. Takes linear time. Thread-safe.
SOTTO_API void tokenize(std::string_view text, std::vector<Token>& tokens);

/// Whether `text` is valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. Thread-safe.
SOTTO_API bool is_valid_utf8(std::string_view text);

/// A copy of `text` with each maximal subpart of an ill-formed sequence replaced by one U+FFFD, as the
/// Unicode Standard recommends. Adds the number of replacements to `replaced`. Thread-safe.
SOTTO_API std::string replace_invalid_utf8(std::string_view text, std::uint64_t& replaced);

/// A sentence: the tokens [first, last) of a text.
struct TokenRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// The sentences of `text`, in order; together they contain all its tokens. `tokens` must come from
/// tokenize() on `text`. Punctuation after the end of a sentence belongs to the next sentence, unless no word
/// follows. Thread-safe.
SOTTO_API std::vector<TokenRange> split_sentences(std::string_view text, const std::vector<Token>& tokens);

/// Whether a word, given in lower case with plain apostrophes ("don't"), is an English stopword. Thread-safe.
SOTTO_API bool is_stopword(std::string_view lower_case_word);

}  // namespace sotto
