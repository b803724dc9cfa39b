// Turns tokens back into text: kept tokens are reproduced byte for byte, including whitespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <sotto/tokenizer.hpp>

#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto::text {

/// Appends a text to `out` token by token: call keep, replace or drop for each token of `text` in order, then
/// finish. Both arguments must outlive the renderer. Not thread-safe. Only touches `out` beyond its size at
/// construction.
///
/// Two words never merge: if tokens without whitespace between them ("ok😀") are both replaced, or one between
/// two words is dropped, a blank is inserted. This depends only on token classes and whitespace. A full stop
/// directly after a replacement that ends in one is omitted: "at 5 p.m." ends a sentence by itself. This
/// depends only on what would be output.
class Renderer {
 public:
  Renderer(std::string_view text, OutputBuffer& out)
      : text_(text), out_(out), begin_(out.size()), position_(0) {}

  /// Outputs the token unchanged.
  void keep(const Token& token) {
    if (needs_care(token)) [[unlikely]]
      start_with_care(token, Last::kept);
    if (!repeats_full_stop(token)) [[likely]]
      copy_text(position_, token.end);
    end_token(token, Last::kept);
  }

  /// Outputs other bytes instead of the token.
  void replace(const Token& token, std::string_view replacement) {
    start_token(token);
    out_.append(replacement);
    end_token(token, Last::replaced);
  }

  /// Like replace, but faster: kTextPadding bytes after the replacement must be readable.
  void replace_padded(const Token& token, std::string_view replacement) {
    copy_padded(start_padded(token, replacement.size()), replacement.data(), replacement.size());
    out_.advance(replacement.size());
    end_token(token, Last::replaced);
  }

  /// Like replace_padded, with the first letter in upper case.
  void replace_padded_capitalized(const Token& token, std::string_view replacement) {
    if (!replacement.empty() && static_cast<unsigned char>(replacement[0]) < 0x80) {
      char* const to = start_padded(token, replacement.size());
      copy_padded(to, replacement.data(), replacement.size());
      *to = ascii_upper(*to);
      out_.advance(replacement.size());
      end_token(token, Last::replaced);
    } else {
      replace_capitalized(token, replacement);
    }
  }

  /// Like replace, with the first letter in upper case.
  void replace_capitalized(const Token& token, std::string_view replacement) {
    start_token(token);
    append_capitalized(out_, replacement);
    end_token(token, Last::replaced);
  }

  /// Like replace, in the given case; the replacement must be in lower case.
  void replace_in_case(const Token& token, std::string_view replacement, CasePattern pattern) {
    start_token(token);
    append_in_case(out_, replacement, pattern);
    end_token(token, Last::replaced);
  }

  /// Like replace, for words separated by blanks; see append_in_case.
  void replace_in_case(const Token& token, std::string_view words, std::span<const CasePattern> patterns) {
    start_token(token);
    append_in_case(out_, words, patterns);
    end_token(token, Last::replaced);
  }

  /// Room for token.end − token.begin bytes instead of the token, all of which the caller must write before
  /// the next call: for digits, whose number stays the same.
  char* replace_in_place(const Token& token) {
    start_token(token);
    const std::size_t size = token.end - token.begin;
    char* const to = out_.reserve(size);
    out_.advance(size);
    end_token(token, Last::replaced);
    return to;
  }

  /// Omits the token and the blanks before it, but not the line terminators; at the beginning of a line also
  /// the blanks after it.
  void drop(const Token& token);

  /// Appends what follows the last token.
  void finish();

 private:
  /// What the output ends with, as far as it affects the next token.
  enum class Last : std::uint8_t { nothing, kept, replaced };

  /// Whether the whitespace before the token may have to differ from that of the text.
  bool needs_care(const Token& token) const {
    return dropped_ || (token.begin == position_ && last_ != Last::nothing &&
                        token.token_class != TokenClass::punctuation);
  }

  /// Whether the token is a full stop directly after a replacement that ends in one.
  bool repeats_full_stop(const Token& token) const {
    return last_ == Last::replaced && token.begin == position_ && text_[token.begin] == '.' &&
           token.token_class == TokenClass::punctuation && out_.size() > begin_ && out_.view().back() == '.';
  }

  void start_token(const Token& token) {
    if (needs_care(token)) [[unlikely]]
      start_with_care(token, Last::replaced);
    copy_text(position_, token.begin);
  }

  /// Like start_token, plus room for `size` bytes. One byte of whitespace is the common case.
  char* start_padded(const Token& token, std::size_t size) {
    if (token.begin == position_ + 1 && !dropped_) [[likely]] {
      char* const to = out_.reserve(size + 1);
      *to = text_[position_];
      out_.advance(1);
      return to + 1;
    }
    start_token(token);
    return out_.reserve(size);
  }

  void end_token(const Token& token, Last action) {
    position_ = token.end;
    last_ = token.token_class == TokenClass::punctuation ? Last::nothing : action;
  }

  /// Writes what precedes the token and moves the position to it.
  void start_with_care(const Token& token, Last action);
  void copy_gap_after_drop(std::size_t end);

  void copy_text(std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    char* const to = out_.reserve(size);
    if (size <= kTextPadding && begin + kTextPadding <= text_.size()) [[likely]]
      std::memcpy(to, text_.data() + begin, kTextPadding);
    else if (size > 0)
      std::memcpy(to, text_.data() + begin, size);
    out_.advance(size);
  }

  std::string_view text_;
  OutputBuffer& out_;
  std::size_t begin_;     // start of this text's output
  std::size_t position_;  // text[0, position) is done
  Last last_ = Last::nothing;
  bool dropped_ = false;  // the last call was drop
};

}  // namespace sotto::text
