#include "playground/token_pairs.hpp"

#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace sotto::server {
namespace {

/// Counts UTF-16 code units from one byte offset to the next; offsets must not decrease.
class Utf16Offsets {
 public:
  explicit Utf16Offsets(std::string_view text) : text_(text) {}

  std::uint32_t at(std::size_t byte) {
    for (; byte_ < byte; ++byte_) {
      const auto value = static_cast<unsigned char>(text_[byte_]);
      if ((value & 0xC0) == 0x80) continue;
      units_ += value >= 0xF0 ? 2 : 1;
    }
    return units_;
  }

 private:
  std::string_view text_;
  std::size_t byte_ = 0;
  std::uint32_t units_ = 0;
};

std::string_view between(std::string_view text, const std::vector<Token>& tokens, std::size_t i) {
  const std::size_t begin = i == 0 ? 0 : tokens[i - 1].end;
  const std::size_t end = i == tokens.size() ? text.size() : tokens[i].begin;
  return text.substr(begin, end - begin);
}

/// Whitespace is kept, but words that would run together are separated.
bool is_kept(std::string_view gap, std::string_view output_gap) {
  return gap == output_gap || (gap.empty() && output_gap == " ");
}

}  // namespace

std::vector<TextToken> text_tokens(std::string_view text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  const std::vector<TokenRange> sentences = split_sentences(text, tokens);
  Utf16Offsets offsets(text);
  std::vector<TextToken> found;
  found.reserve(tokens.size());
  for (std::uint32_t s = 0; s < sentences.size(); ++s) {
    for (std::uint32_t i = sentences[s].first; i < sentences[s].last; ++i) {
      const Token& token = tokens[i];
      const std::uint32_t begin = offsets.at(token.begin);
      found.push_back({text.substr(token.begin, token.end - token.begin), begin, offsets.at(token.end),
                       token.token_class, s});
    }
  }
  return found;
}

std::optional<std::vector<std::string>> matching_tokens(std::string_view input,
                                                        const std::vector<TextToken>& input_tokens,
                                                        std::string_view output) {
  std::vector<Token> before;
  std::vector<Token> after;
  tokenize(input, before);
  tokenize(output, after);
  if (after.size() != input_tokens.size()) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(after.size());
  for (std::size_t i = 0; i <= after.size(); ++i) {
    if (!is_kept(between(input, before, i), between(output, after, i))) return std::nullopt;
    if (i == after.size()) break;
    texts.emplace_back(output.substr(after[i].begin, after[i].end - after[i].begin));
    const bool punctuation = input_tokens[i].token_class == TokenClass::punctuation;
    if (punctuation != (after[i].token_class == TokenClass::punctuation)) return std::nullopt;
    if (punctuation && texts.back() != input_tokens[i].text) return std::nullopt;
  }
  return texts;
}

std::string folded(std::string_view word) {
  utf8proc_uint8_t* lower = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                      UTF8PROC_CASEFOLD);
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(word.data()),
                                 static_cast<utf8proc_ssize_t>(word.size()), &lower, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(lower, &std::free);
  if (size < 0) return std::string(word);
  std::string plain(reinterpret_cast<const char*>(lower), static_cast<std::size_t>(size));
  constexpr std::string_view kTypographic = "\u2019";
  for (std::size_t at = 0; (at = plain.find(kTypographic, at)) != std::string::npos; ++at) {
    plain[at] = '\'';
    plain.erase(at + 1, kTypographic.size() - 1);
  }
  return plain;
}

}  // namespace sotto::server
