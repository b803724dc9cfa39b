#include "lm/tokenizer/byte_level.hpp"

#include <array>
#include <cstdint>

#include "lm/tokenizer/unicode_classes.hpp"
#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

/// Bytes that are printable in Latin-1 represent themselves; the others map to U+0100 and up, in order.
constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr char32_t kSymbols = 0x144;  // one more than the last symbol

struct SymbolTables {
  std::array<std::array<char, 2>, 256> symbols{};
  std::array<std::uint8_t, 256> sizes{};
  std::array<std::int16_t, kSymbols> bytes{};
};

constexpr SymbolTables kTables = [] {
  SymbolTables tables;
  tables.bytes.fill(-1);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t value = stands_for_itself(byte) ? byte : next++;
    tables.bytes[value] = static_cast<std::int16_t>(byte);
    if (value < 0x80) {
      tables.symbols[byte] = {static_cast<char>(value), 0};
      tables.sizes[byte] = 1;
    } else {
      tables.symbols[byte] = {static_cast<char>(0xC0 | value >> 6), static_cast<char>(0x80 | (value & 0x3F))};
      tables.sizes[byte] = 2;
    }
  }
  return tables;
}();

struct Classified {
  PatternClass kind;
  std::uint32_t size;
};

Classified classify(std::string_view text, std::size_t position) {
  const text::CodePoint code_point = text::decode_utf8(text, position);
  return {pattern_class(code_point.value), code_point.size};
}

std::size_t run_end(std::string_view text, std::size_t position, PatternClass kind) {
  while (position < text.size()) {
    const Classified next = classify(text, position);
    if (next.kind != kind) break;
    position += next.size;
  }
  return position;
}

/// The length of the contraction suffix that starts with the apostrophe at text[position]; 0 if none.
std::size_t contraction_size(std::string_view text, std::size_t position) {
  const std::string_view rest = text.substr(position + 1, 2);
  if (rest.empty()) return 0;
  if (rest[0] == 's' || rest[0] == 't' || rest[0] == 'm' || rest[0] == 'd') return 2;
  return rest == "re" || rest == "ve" || rest == "ll" ? 3 : 0;
}

/// A run of blanks leaves its last one to the following word, \s+(?!\S), unless nothing would remain of the
/// run. `begins_before`: the run starts before text[position].
std::size_t blanks_end(std::string_view text, std::size_t position, bool begins_before) {
  std::size_t last = position;
  std::size_t end = position;
  while (end < text.size()) {
    const Classified next = classify(text, end);
    if (next.kind != PatternClass::space) break;
    last = end;
    end += next.size;
  }
  const bool one_blank = last == position && !begins_before;
  return end == text.size() || one_blank ? end : last;
}

}  // namespace

std::size_t gpt2_word_end(std::string_view text, std::size_t position) {
  if (text[position] == '\'') {
    if (const std::size_t size = contraction_size(text, position)) return position + size;
  }
  const std::size_t start = position + (text[position] == ' ' ? 1 : 0);
  if (start == text.size()) return start;
  const Classified first = classify(text, start);
  if (first.kind == PatternClass::space) return blanks_end(text, position, false);
  return run_end(text, start + first.size, first.kind);
}

std::size_t gpt2_word_end_after_blank(std::string_view text) {
  if (text.empty()) return 0;
  const Classified first = classify(text, 0);
  if (first.kind == PatternClass::space) return blanks_end(text, 0, true);
  return run_end(text, first.size, first.kind);
}

std::string_view byte_symbol(unsigned char byte) {
  return {kTables.symbols[byte].data(), kTables.sizes[byte]};
}

std::optional<std::string> symbols_to_bytes(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size();) {
    const text::CodePoint symbol = text::decode_utf8(token, i);
    if (symbol.value >= kSymbols || kTables.bytes[symbol.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kTables.bytes[symbol.value]));
    i += symbol.size;
  }
  return bytes;
}

}  // namespace sotto::lm
