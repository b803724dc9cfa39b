#include "text/token_scanner.hpp"

#include <limits>

#include "base/check.hpp"
#include "text/abbreviation.hpp"
#include "text/char_kind.hpp"
#include "text/punctuation_run.hpp"
#include "text/sentence_tracker.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

struct Char {
  char32_t value;
  std::uint32_t size;
  CharKind kind;
};

bool is_word_kind(CharKind kind) {
  return kind == CharKind::letter || kind == CharKind::digit || kind == CharKind::foreign;
}

bool is_letter_kind(CharKind kind) {
  return kind == CharKind::letter || kind == CharKind::foreign;
}

bool extends(CharKind kind) {
  return kind == CharKind::mark || kind == CharKind::extender;
}

/// Whether ASCII punctuation in a URL may be its last character; if not, it belongs to the sentence.
bool may_end_url(char32_t value) {
  return value < 0x80 &&
         std::string_view("/=&#%+-$@~").find(static_cast<char>(value)) != std::string_view::npos;
}

bool is_local_part_punctuation(char32_t value) {
  return value < 0x80 && std::string_view("._%+-'").find(static_cast<char>(value)) != std::string_view::npos;
}

class TokenScanner {
 public:
  TokenScanner(std::string_view text, std::size_t begin, std::size_t end, bool pending, TokenWriter& tokens)
      : text_(text.substr(0, end)), position_(begin), tracker_(pending), tokens_(tokens) {
    const std::string_view range = text_.substr(begin);
    has_at_sign_ = range.find('@') != std::string_view::npos;
    has_scheme_ = range.find("://") != std::string_view::npos;
  }

  bool run() {
    while (position_ < text_.size()) step();
    return tracker_.pending_after_whitespace();
  }

 private:
  void step() {
    const Char first = at(position_);
    switch (first.kind) {
      case CharKind::whitespace:
        tracker_.whitespace(first.value);
        after_token_ = false;
        position_ += first.size;
        return;
      case CharKind::punctuation:
        return punctuation(first);
      case CharKind::letter:
      case CharKind::digit:
      case CharKind::foreign:
        if (const std::size_t end = url_end(position_)) return emit(end, TokenClass::other, first.value);
        if (const std::size_t end = email_end(position_)) return emit(end, TokenClass::other, first.value);
        if (may_be_dotted(first))
          if (const std::size_t end = abbreviation_end(text_, position_))
            return emit(end, TokenClass::word, first.value);
        return word(first);
      case CharKind::mark:
      case CharKind::extender:
      case CharKind::symbol:
        return symbols(first);
    }
  }

  /// The character at `position`; whitespace of size 0 at the end. Punctuation followed by a mark or
  /// variation selector is an emoji, or in any case not plain punctuation.
  Char at(std::size_t position) const {
    if (position >= text_.size()) return {' ', 0, CharKind::whitespace};
    const CodePoint code_point = decode_utf8(text_, position);
    const CharKind kind = char_kind(code_point.value);
    if (kind == CharKind::punctuation && is_extended(position + code_point.size))
      return {code_point.value, code_point.size, CharKind::symbol};
    return {code_point.value, code_point.size, kind};
  }

  bool is_extended(std::size_t position) const {
    if (position >= text_.size() || static_cast<unsigned char>(text_[position]) < 0x80) return false;
    return extends(char_kind(decode_utf8(text_, position).value));
  }

  void emit(std::size_t end, TokenClass token_class, char32_t first) {
    const bool ascii = ascii_prefix(text_.substr(0, end), position_) == end - position_;
    tokens_.add({static_cast<std::uint32_t>(position_), static_cast<std::uint32_t>(end), token_class, ascii,
                 tracker_.token(token_class, first)});
    position_ = end;
    after_token_ = true;
  }

  /// Processes a whole run at once, so that a long one is read only once.
  void punctuation(const Char& first) {
    std::size_t end = position_ + first.size;
    if (!may_continue_run(end) && first.value != '<') return emit(end, TokenClass::punctuation, first.value);
    run_.assign(1, first.value);
    Char next = at(end);
    for (; next.kind == CharKind::punctuation; next = at(end)) {
      run_.push_back(next.value);
      end += next.size;
    }
    if (run_.size() == 1 && is_heart(first, end)) return emit(end + 1, TokenClass::other, first.value);
    const RunNeighbours neighbours{after_token_, next.kind != CharKind::whitespace};
    if (run_.size() > 1 && !is_ordinary_run(run_, neighbours))
      return emit(end, TokenClass::other, first.value);
    for (const char32_t value : run_)
      emit(position_ + encode_utf8(value).size, TokenClass::punctuation, value);
  }

  /// False only where no punctuation is possible.
  bool may_continue_run(std::size_t position) const {
    if (position >= text_.size()) return false;
    const auto byte = static_cast<unsigned char>(text_[position]);
    return !is_ascii_whitespace(byte) && !is_ascii_alphanumeric(byte);
  }

  /// "<3", if it is not a comparison ("x<3", "<3.5", "<30") and the digit begins nothing else.
  bool is_heart(const Char& first, std::size_t next) {
    if (first.value != '<' || at(next).value != '3' || after_token_ || email_end(next) != 0) return false;
    const Char after = at(next + 1);
    return !is_word_kind(after.kind) && !extends(after.kind) &&
           !joins(CharKind::digit, after, next + 1 + after.size) &&
           (after.value != '_' || after_underscores(next + 1) == next + 1);
  }

  void symbols(const Char& first) {
    std::size_t end = position_ + first.size;
    for (Char c = at(end); c.kind == CharKind::symbol || extends(c.kind); c = at(end)) end += c.size;
    emit(end, TokenClass::other, first.value);
  }

  /// Whether the letter `first` may begin a dotted abbreviation. Answers for nearly all words by one byte.
  /// None begins after a full stop, so a chain of letters and full stops is read only once.
  bool may_be_dotted(const Char& first) const {
    const std::size_t after = position_ + first.size;
    if (after >= text_.size() || (text_[after] != '.' && (text_[after] & 0x80) == 0)) return false;
    return position_ == 0 || text_[position_ - 1] != '.';
  }

  void word(const Char& first) {
    std::size_t end = position_ + first.size;
    CharKind last = first.kind;  // a diacritic counts as its letter
    bool pure = true;            // of one kind so far
    for (;;) {
      const Char c = at(end);
      if (is_word_kind(c.kind)) {
        last = c.kind;
      } else if (extends(c.kind)) {
        if (c.kind == CharKind::extender || last != CharKind::letter) last = CharKind::foreign;
      } else if (c.value == '_' && c.kind == CharKind::punctuation) {
        const std::size_t after = after_underscores(end);
        if (after == end) break;
        end = after;
        last = CharKind::foreign;
        pure = false;
        continue;
      } else if (!joins(last, c, end + c.size)) {
        break;
      }
      pure = pure && last == first.kind;
      end += c.size;
    }
    emit(end, word_class(first.kind, pure), first.value);
  }

  static TokenClass word_class(CharKind kind, bool pure) {
    if (!pure || kind == CharKind::foreign) return TokenClass::other;
    return kind == CharKind::letter ? TokenClass::word : TokenClass::number;
  }

  /// Whether `c`, between a character of kind `last` and the one at `next`, belongs to the token of both.
  bool joins(CharKind last, const Char& c, std::size_t next) const {
    if (c.kind == CharKind::punctuation && is_word_joiner(c.value))
      return is_letter_kind(last) && is_letter_kind(at(next).kind);
    if (c.kind == CharKind::punctuation && (c.value == '.' || c.value == ','))
      return last == CharKind::digit && at(next).kind == CharKind::digit;
    const bool zero_width_joiner = c.value == 0x200C || c.value == 0x200D;
    return zero_width_joiner && last == CharKind::foreign && at(next).kind == CharKind::foreign;
  }

  /// The end of a run of underscores followed by a word character, otherwise `position`.
  std::size_t after_underscores(std::size_t position) const {
    const std::size_t end = text_.find_first_not_of('_', position);
    return end != std::string_view::npos && is_word_kind(at(end).kind) ? end : position;
  }

  /// The end of the URL that begins at `begin`, or 0 if there is none.
  std::size_t url_end(std::size_t begin) {
    if (const std::size_t body = after_www(begin)) return url_body_end(body);
    if (!has_scheme_ || begin < no_scheme_before_) return 0;
    std::size_t end = begin;
    while (end < text_.size() && is_scheme_character(text_[end])) ++end;
    if (end > begin && text_.substr(end).starts_with("://")) {
      const std::size_t body = text_.find_first_not_of('/', end + 3);
      if (body != std::string_view::npos && is_word_kind(at(body).kind)) return url_body_end(body);
    }
    no_scheme_before_ = end;
    return 0;
  }

  static bool is_scheme_character(char c) {
    return is_ascii_alphanumeric(static_cast<unsigned char>(c)) || c == '+' || c == '.' || c == '-';
  }

  std::size_t after_www(std::size_t begin) const {
    const std::string_view rest = text_.substr(begin);
    const auto is_w = [rest](std::size_t i) { return (rest[i] | 0x20) == 'w'; };
    if (rest.size() < 5 || !is_w(0) || !is_w(1) || !is_w(2) || rest[3] != '.') return 0;
    return is_word_kind(at(begin + 4).kind) ? begin + 4 : 0;
  }

  /// `body` is a word character. The URL extends to whitespace, quotes, an unpaired closing parenthesis,
  /// symbols or punctuation beyond ASCII, minus its trailing punctuation.
  std::size_t url_body_end(std::size_t body) const {
    std::size_t end = body;
    int depth = 0;
    for (std::size_t position = body;;) {
      const Char c = at(position);
      if (c.kind == CharKind::whitespace || c.kind == CharKind::symbol) return end;
      position += c.size;
      if (c.kind != CharKind::punctuation) {
        end = position;
        continue;
      }
      if (c.value >= 0x80 || c.value == '<' || c.value == '>' || c.value == '"') return end;
      if (c.value == '(') ++depth;
      if (c.value == ')' && --depth < 0) return end;
      if (c.value == ')' || may_end_url(c.value)) end = position;
    }
  }

  /// The end of the e-mail address that begins at `begin`, or 0 if there is none.
  std::size_t email_end(std::size_t begin) {
    // If one search for the '@' failed, searches from inside the same stretch would fail too.
    if (!has_at_sign_ || begin < no_email_before_) return 0;
    std::size_t at_sign = begin;
    Char c = at(at_sign);
    while (is_word_kind(c.kind) || extends(c.kind) ||
           (c.kind == CharKind::punctuation && is_local_part_punctuation(c.value))) {
      at_sign += c.size;
      c = at(at_sign);
    }
    if (c.value == '@' && c.kind == CharKind::punctuation && is_word_kind(at(at_sign + 1).kind))
      return domain_end(at_sign + 1);
    no_email_before_ = at_sign;
    return 0;
  }

  std::size_t domain_end(std::size_t begin) const {
    std::size_t end = begin;
    for (;;) {
      const Char c = at(end);
      const bool separates =
          c.kind == CharKind::punctuation && (c.value == '.' || c.value == '-' || c.value == '_');
      if (separates ? !is_word_kind(at(end + 1).kind) : !is_word_kind(c.kind) && !extends(c.kind)) return end;
      end += c.size;
    }
  }

  std::string_view text_;
  std::size_t position_;
  SentenceTracker tracker_;
  TokenWriter& tokens_;
  std::u32string run_;        // of punctuation; a member so that its memory is reused
  bool after_token_ = false;  // no whitespace directly before position_
  bool has_at_sign_;
  bool has_scheme_;
  std::size_t no_scheme_before_ = 0;
  std::size_t no_email_before_ = 0;
};

}  // namespace

bool scan_tokens(std::string_view text, std::size_t begin, std::size_t end, bool pending,
                 TokenWriter& tokens) {
  return TokenScanner(text, begin, end, pending, tokens).run();
}

void tokenize_by_code_point(std::string_view text, std::vector<Token>& tokens) {
  SOTTO_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
  TokenWriter writer(tokens, text.size());
  scan_tokens(text, 0, text.size(), true, writer);
  writer.finish();
}

}  // namespace sotto::text
