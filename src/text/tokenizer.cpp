// The fast path: 64 bytes at a time as bit masks. Token boundaries are local in plain ASCII text: whether a
// joiner belongs to a word depends on its two neighbours, so a few shifts give all boundaries of a block.
// Whatever needs more (non-ASCII bytes, letters next to digits, possible URLs and e-mail addresses, runs of
// punctuation that are not ordinary) sends its stretch between two blanks to scan_tokens(); no token contains
// whitespace, so that stretch can be processed separately.
#include <bit>
#include <cstring>
#include <limits>

#include <sotto/tokenizer.hpp>

#include "base/check.hpp"
#include "text/byte_masks.hpp"
#include "text/char_kind.hpp"
#include "text/punctuation_run.hpp"
#include "text/token_scanner.hpp"
#include "text/token_writer.hpp"
#include "text/utf8.hpp"

namespace sotto {
using namespace text;
namespace {

using Mask = std::uint64_t;

constexpr int kLastBit = 63;

int lowest_bit(Mask mask) {
  return std::countr_zero(mask);
}
int highest_bit(Mask mask) {
  return kLastBit - std::countl_zero(mask);
}
/// Bits 0 to `bit` − 1, for `bit` below 64.
Mask below(int bit) {
  return (Mask{1} << bit) - 1;
}

/// The size of the whitespace character that ends at text[end], or 0 if there is none.
std::size_t whitespace_before(std::string_view text, std::size_t end) {
  for (std::size_t size = 1; size <= 3 && size <= end; ++size) {
    const bool continues = (static_cast<unsigned char>(text[end - size]) & 0xC0) == 0x80;
    if (continues) continue;
    const CodePoint code_point = decode_utf8(text.substr(0, end), end - size);
    return code_point.size == size && char_kind(code_point.value) == CharKind::whitespace ? size : 0;
  }
  return 0;
}

class FastTokenizer {
 public:
  FastTokenizer(std::string_view text, TokenWriter& tokens) : text_(text), tokens_(tokens) {}

  void run() {
    std::size_t base = 0;
    ByteMasks block = load(0);
    while (base < text_.size()) {
      const ByteMasks next = load(base + kBlockBytes);
      const std::size_t after = process(base, block, next);
      block = after == base + kBlockBytes ? next : load(after);
      base = after;
    }
  }

 private:
  /// What is known about a block once its neighbours are known.
  struct Borders {
    Mask space;
    Mask newline;
    Mask run_starts;  // of words and numbers
    Mask starts;      // of all tokens
    Mask ends;        // last bytes of all tokens; the last byte of the block ends a run provisionally
    Mask digit;
    Mask punctuation;
    Mask terminator;  // . ! ?
    Mask maybe_closer;
    Mask rare;
    bool open;  // the last run continues in the next block
  };

  /// The last bits of the previous block.
  struct Carry {
    Mask letter = 0;
    Mask digit = 0;
    Mask slash = 0;
    Mask run = 0;
    Mask punctuation = 0;
    Mask terminator = 0;
    Mask maybe_closer = 0;
    bool open = false;
  };

  ByteMasks load(std::size_t base) const {
    if (base + kBlockBytes <= text_.size()) return byte_masks(text_.data() + base);
    // The text is followed by blanks: after every text there is a block of nothing else.
    if (base >= text_.size()) return {.space = ~Mask{0}};
    char padded[kBlockBytes];
    std::memset(padded, ' ', sizeof padded);
    std::memcpy(padded, text_.data() + base, text_.size() - base);
    return byte_masks(padded);
  }

  /// Appends the tokens that end in the block and returns where to continue: at the next block, or after a
  /// stretch that extended beyond this one.
  std::size_t process(std::size_t base, const ByteMasks& block, const ByteMasks& next) {
    Borders borders = find_borders(block, next);
    const Mask plain = borders.punctuation & ~block.rare;
    if (const Mask pairs = plain & (plain << 1 | carry_.punctuation))
      borders.rare |= unusual_runs(base, plain, pairs);
    Mask live = ~Mask{0};
    while (const Mask rare = borders.rare & live) [[unlikely]] {
        const std::size_t end = scan_stretch(base, borders, live, lowest_bit(rare));
        carry_ = {};
        if (end >= base + kBlockBytes) return end;
        live = ~below(static_cast<int>(end - base));
      }
    emit(base, borders, live);
    if (borders.space & live)
      stretch_begin_ = base + static_cast<std::size_t>(highest_bit(borders.space & live)) + 1;
    carry_ = {block.letter >> kLastBit,         block.digit >> kLastBit,
              block.slash >> kLastBit,          (borders.ends & ~borders.punctuation) >> kLastBit,
              borders.punctuation >> kLastBit,  borders.terminator >> kLastBit,
              borders.maybe_closer >> kLastBit, borders.open};
    return base + kBlockBytes;
  }

  Borders find_borders(const ByteMasks& block, const ByteMasks& next) const {
    const Mask letter_before = block.letter << 1 | carry_.letter;
    const Mask digit_before = block.digit << 1 | carry_.digit;
    const Mask letter_after = block.letter >> 1 | next.letter << kLastBit;
    const Mask digit_after = block.digit >> 1 | next.digit << kLastBit;
    const Mask separator = block.dot | block.comma;
    const Mask run = block.letter | block.digit | (block.joiner & letter_before & letter_after) |
                     (separator & digit_before & digit_after);
    // Whether the next block's first byte belongs to the same run as this block's last byte.
    const Mask next_run = next.letter | next.digit |
                          (next.joiner & next.letter >> 1 & block.letter >> kLastBit) |
                          ((next.dot | next.comma) & next.digit >> 1 & block.digit >> kLastBit);
    constexpr Mask kLast = Mask{1} << kLastBit;
    Borders borders;
    borders.space = block.space;
    borders.newline = block.newline;
    borders.digit = block.digit;
    borders.punctuation = ~(run | block.space);
    borders.run_starts = run & ~(run << 1 | carry_.run);
    borders.starts = borders.run_starts | borders.punctuation;
    borders.ends = (run & (~(run >> 1) | kLast)) | borders.punctuation;
    borders.terminator = borders.punctuation & (block.dot | block.exclamation);
    borders.maybe_closer = borders.punctuation & ~(separator | block.exclamation);
    borders.rare = block.rare | (block.slash & (block.slash << 1 | carry_.slash)) |
                   (block.dot & letter_before & (letter_after | digit_after)) |
                   (block.letter & digit_before) | (block.digit & letter_before);
    borders.open = (run >> kLastBit & next_run & 1) != 0;
    return borders;
  }

  /// A bit inside each run of punctuation that is not ordinary; `pairs` has the bits whose predecessor is
  /// also punctuation.
  Mask unusual_runs(std::size_t base, Mask punctuation, Mask pairs) const {
    Mask unusual = 0;
    while (pairs != 0) {
      const int second = lowest_bit(pairs);
      const Mask rest = ~punctuation & ~below(second);
      if (!is_ordinary(base + static_cast<std::size_t>(second) - 1,
                       base + static_cast<std::size_t>(std::countr_zero(rest))))
        unusual |= Mask{1} << second;
      if (rest == 0) break;
      pairs &= ~below(lowest_bit(rest));
    }
    return unusual;
  }

  /// Whether the run that contains text[begin, end) is ordinary; it may extend into other blocks. Punctuation
  /// next to punctuation is never inside a word or number. False for any long run: examining it from end to
  /// end in every block would take quadratic time.
  bool is_ordinary(std::size_t begin, std::size_t end) const {
    const std::size_t longest = end - begin + kBlockBytes;
    while (begin > 0 && is_punctuation(text_[begin - 1]) && end - begin < longest) --begin;
    while (end < text_.size() && is_punctuation(text_[end]) && end - begin < longest) ++end;
    if (end - begin >= longest) return false;
    const RunNeighbours neighbours{begin > 0 && !is_blank(text_[begin - 1]),
                                   end < text_.size() && !is_blank(text_[end])};
    return is_ordinary_run(text_.substr(begin, end - begin), neighbours);
  }

  static bool is_blank(char c) { return is_ascii_whitespace(static_cast<unsigned char>(c)); }
  static bool is_punctuation(char c) {
    return c > ' ' && c < 0x7F && !is_ascii_alphanumeric(static_cast<unsigned char>(c));
  }

  /// Emits the tokens before the stretch that contains the rare byte, then the stretch; returns its end.
  std::size_t scan_stretch(std::size_t base, const Borders& borders, Mask live, int rare_bit) {
    std::size_t begin = stretch_begin_;
    if (const Mask blanks = borders.space & live & below(rare_bit)) {
      const int blank = highest_bit(blanks);
      emit(base, borders, live & (below(blank) | Mask{1} << blank));
      begin = base + static_cast<std::size_t>(blank) + 1;
    } else {
      pending_ |= tokens_.forget_from(begin);
    }
    std::size_t end = base + static_cast<std::size_t>(rare_bit) + 1;
    while (end < text_.size() && !is_ascii_whitespace(static_cast<unsigned char>(text_[end]))) ++end;
    pending_ = scan_tokens(text_, begin, end, pending_, tokens_);
    return end;
  }

  void emit(std::size_t base, const Borders& borders, Mask live) {
    Mask starts = borders.starts & live;
    Mask ends = borders.ends & live;
    const auto offset = static_cast<std::uint32_t>(base);
    if (carry_.open) {
      // The first end in this block belongs to the run from the previous block, whose end was provisional.
      tokens_[tokens_.count() - 1].end = offset + static_cast<std::uint32_t>(lowest_bit(ends)) + 1;
      ends &= ends - 1;
    }
    Token* const first = tokens_.reserve(kBlockBytes);
    Token* token = first;
    for (; starts != 0; ++token) {
      const int begin = lowest_bit(starts);
      const auto kind = (borders.digit >> begin & 1) + 2 * (borders.punctuation >> begin & 1);
      *token = {offset + static_cast<std::uint32_t>(begin),
                offset + static_cast<std::uint32_t>(lowest_bit(ends)) + 1, static_cast<TokenClass>(kind),
                true, false};
      starts &= starts - 1;
      ends &= ends - 1;
    }
    tokens_.advance(static_cast<std::size_t>(token - first));
    mark_sentences(base, borders, live, first);
  }

  void mark_sentences(std::size_t base, const Borders& borders, Mask live, Token* first) {
    Mask sentence_ends = sentence_ends_in(base, borders, live);
    const Mask runs = borders.run_starts & live;
    while (pending_ || sentence_ends != 0) {
      const Mask candidates = pending_ ? runs : runs & ~below(lowest_bit(sentence_ends));
      pending_ = candidates == 0;
      if (pending_) return;
      const int start = lowest_bit(candidates);
      first[std::popcount(borders.starts & live & below(start))].starts_sentence = true;
      sentence_ends &= ~below(start);
    }
  }

  /// The blanks that directly follow the end of a sentence.
  Mask sentence_ends_in(std::size_t base, const Borders& borders, Mask live) const {
    const Mask blanks = borders.space & live;
    Mask found = blanks & ((borders.terminator & live) << 1 | carry_.terminator);
    const Mask after_closer = blanks & ((borders.maybe_closer & live) << 1 | carry_.maybe_closer);
    for (Mask rest = after_closer; rest != 0; rest &= rest - 1)
      if (ends_before_quotes(base + static_cast<std::size_t>(lowest_bit(rest)))) found |= rest & -rest;
    for (Mask rest = borders.newline & live; rest != 0; rest &= rest - 1)
      if (ends_blank_line(base + static_cast<std::size_t>(lowest_bit(rest)))) found |= rest & -rest;
    return found;
  }

  bool ends_before_quotes(std::size_t end) const {
    while (end > 0 && closes_quote(static_cast<unsigned char>(text_[end - 1]))) --end;
    return end > 0 && ends_sentence(static_cast<unsigned char>(text_[end - 1]));
  }

  /// Whether there is only whitespace between the line terminator at `position` and the previous one.
  bool ends_blank_line(std::size_t position) const {
    while (const std::size_t size = whitespace_before(text_, position)) {
      position -= size;
      if (text_[position] == '\n') return true;
    }
    return false;
  }

  std::string_view text_;
  TokenWriter& tokens_;
  Carry carry_;
  std::size_t stretch_begin_ = 0;  // after the last whitespace of the previous blocks
  bool pending_ = true;            // the next word begins a sentence
};

}  // namespace

void tokenize(std::string_view text, std::vector<Token>& tokens) {
  SOTTO_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
  TokenWriter writer(tokens, text.size());
  FastTokenizer(text, writer).run();
  writer.finish();
}

}  // namespace sotto
