// Where sentences begin, seen token by token.
#pragma once

#include <utility>

#include <sotto/tokenizer.hpp>

#include "text/char_kind.hpp"

namespace sotto {

/// A sentence ends at '.', '!', '?' or '…' (a run of them, with closing quotes and brackets) before
/// whitespace, and at a blank line. Only punctuation, whitespace and token classes are looked at, never the
/// words ("Mr. Smith" is two sentences): capitals of the output follow the sentence starts, so a rule that
/// knew words would leak them.
class SentenceTracker {
 public:
  /// `pending`: whether the next word, number or other token begins a sentence.
  explicit SentenceTracker(bool pending = true) : pending_(pending) {}

  /// Call for each whitespace character; true when a sentence ends before it.
  bool whitespace(char32_t value) {
    if (value == '\n') ++newlines_;
    const bool ends = ended_ || newlines_ == 2 || value == 0x2029;
    if (newlines_ == 2) newlines_ = 1;
    ended_ = false;
    pending_ |= ends;
    return ends;
  }

  /// Call for each token; `first` is its first code point. True when it begins a sentence. Opening
  /// punctuation before the word leaves the start to the word.
  bool token(TokenClass token_class, char32_t first) {
    newlines_ = 0;
    if (token_class != TokenClass::punctuation) {
      ended_ = false;
      return std::exchange(pending_, false);
    }
    ended_ = ends_sentence(first) || (ended_ && closes_quote(first));
    return false;
  }

  /// The state to hand on, when whitespace or the end of the text follows.
  bool pending_after_whitespace() const { return pending_ || ended_; }

 private:
  bool pending_;
  bool ended_ = false;
  int newlines_ = 0;  // since the last token, at most one after each call
};

}  // namespace sotto
