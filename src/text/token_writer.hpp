// Writes tokens through a pointer into a reused vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <sotto/tokenizer.hpp>

namespace sotto::text {

/// The vector keeps its old size while tokens overwrite its old content, so that a vector used for many texts
/// is rarely reinitialised. Its size is correct after finish().
class TokenWriter {
 public:
  TokenWriter(std::vector<Token>& tokens, std::size_t text_size) : tokens_(tokens) {
    // English text has about one token per five bytes.
    if (tokens_.size() < text_size / 5) grow(text_size / 5);
  }

  std::size_t count() const { return count_; }
  Token& operator[](std::size_t index) { return tokens_[index]; }

  /// Room for `count` more tokens, after those already written.
  Token* reserve(std::size_t count) {
    if (tokens_.size() - count_ < count) grow(std::max(count_ + count, tokens_.size() + tokens_.size() / 4));
    return tokens_.data() + count_;
  }
  void advance(std::size_t count) { count_ += count; }

  void add(const Token& token) {
    *reserve(1) = token;
    ++count_;
  }

  /// Discards the tokens that begin at or after `begin`; returns true if one of them began a sentence.
  bool forget_from(std::size_t begin) {
    bool began = false;
    for (; count_ > 0 && tokens_[count_ - 1].begin >= begin; --count_)
      began |= tokens_[count_ - 1].starts_sentence;
    return began;
  }

  void finish() { tokens_.resize(count_); }

 private:
  /// Like resize(), by block copies: resize() initialises field by field, which takes a tenth as long as
  /// finding the tokens.
  void grow(std::size_t size) {
    static constexpr Token kBlank[64] = {};
    while (tokens_.size() < size) tokens_.insert(tokens_.end(), std::begin(kBlank), std::end(kBlank));
  }

  std::vector<Token>& tokens_;
  std::size_t count_ = 0;
};

}  // namespace sotto::text
