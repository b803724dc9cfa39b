// Models whose words use letters that no input has (they are stripped from inputs first), so that every other
// letter of an output is a leak; and a walk that compares an output with its input token by token.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"
#include "support/list_set.hpp"
#include "support/tiny_model.hpp"
#include "text/char_kind.hpp"
#include "text/letter_case.hpp"
#include "text/utf8.hpp"

namespace sotto::fuzz {

/// Lower-case letters and their capitals; all Latin, so that the tokenizer classifies the words as words.
struct Alphabet {
  std::u32string lower;
  std::u32string upper;
  bool has(char32_t letter) const {
    return lower.find(letter) != std::u32string::npos || upper.find(letter) != std::u32string::npos;
  }
};

/// One for the ASCII fast paths, one for the others.
inline const Alphabet& alphabet(bool ascii) {
  static const Alphabet kAscii = {U"qxz", U"QXZ"};
  static const Alphabet kOther = {U"\u0253\u0256\u025B", U"\u0181\u0189\u0190"};
  return ascii ? kAscii : kOther;
}

/// All words of one to three letters of the alphabet.
inline std::vector<std::string> words_of(const Alphabet& alphabet) {
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < words.size() && words[i].size() < 3 * text::encode_utf8(alphabet.lower[0]).size;
       ++i)
    for (const char32_t letter : alphabet.lower) {
      std::string longer = words[i];
      longer += text::encode_utf8(letter).view();
      words.push_back(std::move(longer));
    }
  words.erase(words.begin());
  return words;
}

/// The text with invalid UTF-8 repaired and without the letters of the alphabet.
inline std::string without_letters(std::string_view text, const Alphabet& alphabet) {
  std::uint64_t ignored = 0;
  const std::string valid = replace_invalid_utf8(text, ignored);
  std::string rest;
  for (std::size_t i = 0; i < valid.size();) {
    const text::CodePoint point = text::decode_utf8(valid, i);
    if (!alphabet.has(point.value)) rest += std::string_view(valid).substr(i, point.size);
    i += point.size;
  }
  return rest;
}

/// A model with vectors, or a list set; written once.
inline std::filesystem::path strange_model(bool ascii, bool vectors) {
  const std::string name = std::string(ascii ? "ascii" : "other") + (vectors ? "-vectors" : "-lists");
  const std::filesystem::path file = scratch() / (name + ".safetensors");
  if (std::filesystem::exists(file)) return file;
  const std::vector<std::string> words = words_of(alphabet(ascii));
  if (!vectors) {
    testing::write_list_set(
        file, words,
        {{"a", testing::stepping_order(words.size(), 1)}, {"b", testing::stepping_order(words.size(), 7)}});
    return file;
  }
  testing::VectorModel parts;
  parts.words = words;
  for (std::size_t i = 0; i < 3 * words.size(); ++i) parts.vectors.push_back(static_cast<int>(i * i % 251));
  parts.scale = 1.0 / 128;
  testing::write_vector_model(file, parts);
  return file;
}

/// Compares an output under the strict policy with its input, both without a byte order mark.
class StrictWalk {
 public:
  StrictWalk(std::string_view text, std::string_view output, const Alphabet& alphabet)
      : output_(output), alphabet_(alphabet) {
    std::uint64_t ignored = 0;
    text_ = replace_invalid_utf8(text, ignored);
    for (const std::string& word : words_of(alphabet)) words_.insert(word);
  }

  /// `exact_case`: capitals occur only where a sentence of `text` starts.
  void check(bool exact_case) {
    std::vector<Token> tokens;
    tokenize(text_, tokens);
    std::size_t position = 0;
    for (const Token& token : tokens) {
      take_gap(std::string_view(text_).substr(position, token.begin - position), token);
      const std::string_view bytes = std::string_view(text_).substr(token.begin, token.end - token.begin);
      if (token.token_class == TokenClass::punctuation)
        take_same(bytes, "punctuation stays");
      else if (token.token_class == TokenClass::number)
        take_number(bytes);
      else
        take_word(exact_case && !token.starts_sentence);
      position = token.end;
      after_punctuation_ = token.token_class == TokenClass::punctuation;
    }
    take_same(std::string_view(text_).substr(position), "what follows the last token stays");
    require(output_.empty(), "the output ends where the input does");
  }

 private:
  void take_same(std::string_view bytes, const char* property) {
    require(output_.starts_with(bytes), property);
    output_.remove_prefix(bytes.size());
  }

  /// The renderer inserts a blank between two adjacent tokens if neither is punctuation.
  void take_gap(std::string_view gap, const Token& token) {
    const bool glued =
        gap.empty() && token.begin > 0 && !after_punctuation_ && token.token_class != TokenClass::punctuation;
    take_same(glued ? " " : gap, "whitespace stays");
  }

  void take_number(std::string_view number) {
    require(output_.size() >= number.size(), "a number keeps its length");
    const auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
    for (std::size_t i = 0; i < number.size(); ++i)
      require(is_digit(number[i]) ? is_digit(output_[i]) : number[i] == output_[i],
              "a number keeps its digits' places and its separators");
    output_.remove_prefix(number.size());
  }

  void take_word(bool must_be_lower) {
    std::size_t end = 0;
    while (end < output_.size()) {
      const text::CodePoint point = text::decode_utf8(output_, end);
      if (!alphabet_.has(point.value)) break;
      end += point.size;
    }
    const std::string word(output_.substr(0, end));
    require(words_.contains(text::to_lower(word)), "a word of the model stands in the place of each word");
    require(!must_be_lower || text::to_lower(word) == word, "capitals follow sentence starts alone");
    output_.remove_prefix(end);
  }

  std::string text_;
  std::string_view output_;
  const Alphabet& alphabet_;
  std::set<std::string> words_;
  bool after_punctuation_ = true;  // nothing precedes the first token
};

}  // namespace sotto::fuzz
