// Puts tokens back into text: what is kept is reproduced byte for byte, whitespace included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <sotto/tokenizer.hpp>

#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// Appends a text to `out` token by token: call keep, replace or drop for each token of `text` in order, then
/// finish. Both arguments must outlive it. Not thread-safe. Only `out`'s bytes from its size at construction
/// on are touched.
///
/// Two words never grow together: where tokens without whitespace between them ("ok😀") are both replaced, or
/// one between two words is dropped, a blank is put between. This depends on token classes and whitespace
/// only.
class Renderer {
 public:
  Renderer(std::string_view text, OutputBuffer& out)
      : text_(text), out_(out), begin_(out.size()), position_(0) {}

  /// The token as it is.
  void keep(const Token& token) {
    if (needs_care(token)) [[unlikely]]
      start_with_care(token, Last::kept);
    copy_text(position_, token.end);
    end_token(token, Last::kept);
  }

  /// Other bytes in the token's place.
  void replace(const Token& token, std::string_view replacement) {
    start_token(token);
    out_.append(replacement);
    end_token(token, Last::replaced);
  }

  /// As replace, faster: kTextPadding bytes after the replacement must be readable.
  void replace_padded(const Token& token, std::string_view replacement) {
    copy_padded(start_padded(token, replacement.size()), replacement.data(), replacement.size());
    out_.advance(replacement.size());
    end_token(token, Last::replaced);
  }

  /// As replace_padded, with the first letter in upper case.
  void replace_padded_capitalized(const Token& token, std::string_view replacement) {
    if (!replacement.empty() && static_cast<unsigned char>(replacement[0]) < 0x80) {
      char* const to = start_padded(token, replacement.size());
      copy_padded(to, replacement.data(), replacement.size());
      *to = ascii_upper(*to);
      out_.advance(replacement.size());
    } else {
      start_token(token);
      append_capitalized(out_, replacement);
    }
    end_token(token, Last::replaced);
  }

  /// As replace, in the given case; the replacement is given in lower case.
  void replace_in_case(const Token& token, std::string_view replacement, CasePattern pattern) {
    start_token(token);
    append_in_case(out_, replacement, pattern);
    end_token(token, Last::replaced);
  }

  /// As replace, for words separated by blanks; see append_in_case.
  void replace_in_case(const Token& token, std::string_view words, std::span<const CasePattern> patterns) {
    start_token(token);
    append_in_case(out_, words, patterns);
    end_token(token, Last::replaced);
  }

  /// Room for token.end − token.begin bytes in the token's place, all of which the caller must write before
  /// the next call: for digits, of which the caller has as many.
  char* replace_in_place(const Token& token) {
    start_token(token);
    const std::size_t size = token.end - token.begin;
    char* const to = out_.reserve(size);
    out_.advance(size);
    end_token(token, Last::replaced);
    return to;
  }

  /// Leaves the token out, with the blanks before it but not the line ends; at the beginning of a line also
  /// the blanks after it.
  void drop(const Token& token);

  /// Appends what follows the last token.
  void finish();

 private:
  /// What the output ends with, as far as it matters for the next token.
  enum class Last : std::uint8_t { nothing, kept, replaced };

  /// Whether more than the whitespace of the text may have to stand before the token, or less.
  bool needs_care(const Token& token) const {
    return dropped_ || (token.begin == position_ && last_ != Last::nothing &&
                        token.token_class != TokenClass::punctuation);
  }

  void start_token(const Token& token) {
    if (needs_care(token)) [[unlikely]]
      start_with_care(token, Last::replaced);
    copy_text(position_, token.begin);
  }

  /// As start_token, and room for `size` bytes. One byte of whitespace is the common case.
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

  /// Writes what stands before the token and moves the position to it.
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
  std::size_t begin_;     // of this text's output
  std::size_t position_;  // text[0, position) is done
  Last last_ = Last::nothing;
  bool dropped_ = false;  // the last call was drop
};

}  // namespace sotto
