// Tokens that are found in a text before the model sees it: special ones, and those somebody added.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lm/tokenizer/byte_trie.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_types.hpp"

namespace sotto {

struct AddedToken {
  SubwordId id = 0;
  std::string content;
  bool special = false;      ///< left out when decoding
  bool single_word = false;  ///< not inside a word
  bool lstrip = false;       ///< takes the blanks before it, as RoBERTa's <mask> does
  bool rstrip = false;
  bool normalized = false;  ///< looked for in the normalized text
};

/// A part of a text: an added token, or text between such tokens.
struct TextSegment {
  const AddedToken* token;  ///< null for text
  std::size_t begin;
  std::size_t end;
};

/// Reading is thread-safe.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// `model` normalizes those that are looked for in normalized text.
  AddedTokens(std::vector<AddedToken> tokens, const SubwordModel& model);

  const std::vector<AddedToken>& all() const { return tokens_; }  ///< by id
  bool is_special(SubwordId id) const { return find(id) != nullptr && find(id)->special; }
  bool contains(SubwordId id) const { return find(id) != nullptr; }

  /// The segments of a text as it was given, by the tokens that are not normalized; the longest of those that
  /// begin at the leftmost place wins. Special tokens are text when `special` is false.
  void split(std::string_view text, bool special, std::vector<TextSegment>& segments) const;
  /// The segments of normalized text, by the tokens that are.
  void split_normalized(std::string_view text, bool special, std::vector<TextSegment>& segments) const;

 private:
  /// A set of strings to look for, with the places where none begins skipped by their first byte.
  struct Finder {
    ByteTrie trie;  // to indices of tokens_
    std::array<bool, 256> first_bytes{};
    bool empty = true;
    void add(std::string_view content, std::size_t index);
  };

  const AddedToken* find(SubwordId id) const;
  void split_by(const Finder& finder, std::string_view text, bool special,
                std::vector<TextSegment>& segments) const;

  std::vector<AddedToken> tokens_;  // by id
  Finder raw_;
  Finder normalized_;
};

}  // namespace sotto
