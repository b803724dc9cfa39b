// Detects where sentences begin, token by token.
#pragma once

#include <utility>

#include <sotto/tokenizer.hpp>

#include "text/char_kind.hpp"

namespace sotto::text {

/// A sentence ends at '.', '!', '?' or '…' (a run of them, with closing quotes and brackets) before
/// whitespace, and at a blank line. The rule uses only punctuation, whitespace and token classes, never the
/// words ("Mr. Smith" is two sentences): capitals of the output follow the sentence starts, so a rule that
/// knew words would leak them.
class SentenceTracker {
 public:
  /// `pending`: whether the next word, number or other token begins a sentence.
  explicit SentenceTracker(bool pending = true) : pending_(pending) {}

  /// Call for each whitespace character; returns true if a sentence ends before it.
  bool whitespace(char32_t value) {
    if (value == '\n') ++newlines_;
    const bool ends = ended_ || newlines_ == 2 || value == 0x2029;
    if (newlines_ == 2) newlines_ = 1;
    ended_ = false;
    pending_ |= ends;
    return ends;
  }

  /// Call for each token; `first` is its first code point. Returns true if it begins a sentence. Opening
  /// punctuation does not count as the start; the word after it does.
  bool token(TokenClass token_class, char32_t first) {
    newlines_ = 0;
    if (token_class != TokenClass::punctuation) {
      ended_ = false;
      return std::exchange(pending_, false);
    }
    ended_ = ends_sentence(first) || (ended_ && closes_quote(first));
    return false;
  }

  /// The state to pass on if whitespace or the end of the text follows.
  bool pending_after_whitespace() const { return pending_ || ended_; }

 private:
  bool pending_;
  bool ended_ = false;
  int newlines_ = 0;  // since the last token, at most one after each call
};

}  // namespace sotto::text
