// Tokens that are matched in a text before the model sees it: special and user-added ones.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lm/tokenizer/byte_trie.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_types.hpp"

namespace sotto::lm {

struct AddedToken {
  SubwordId id = 0;
  std::string content;
  bool special = false;      ///< omitted when decoding
  bool single_word = false;  ///< not inside a word
  bool lstrip = false;       ///< absorbs the blanks before it, as RoBERTa's <mask> does
  bool rstrip = false;
  bool normalized = false;  ///< matched in the normalized text
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
  /// `model` normalizes the tokens that are matched in normalized text.
  AddedTokens(std::vector<AddedToken> tokens, const SubwordModel& model);

  const std::vector<AddedToken>& all() const { return tokens_; }  ///< by id
  bool is_special(SubwordId id) const { return find(id) != nullptr && find(id)->special; }
  bool contains(SubwordId id) const { return find(id) != nullptr; }

  /// Splits an unnormalized text at the tokens that are not normalized; of those that begin at the leftmost
  /// place the longest wins. If `special` is false, special tokens are text.
  void split(std::string_view text, bool special, std::vector<TextSegment>& segments) const;
  /// Splits normalized text at the tokens that are normalized.
  void split_normalized(std::string_view text, bool special, std::vector<TextSegment>& segments) const;

 private:
  /// A set of strings to search for; the first byte rules out most positions.
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

}  // namespace sotto::lm
