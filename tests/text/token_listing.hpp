// Tokens as readable lines, for comparison in tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

namespace sotto {

/// "w:Hello", "n:12", "p:!", "o:😀"; a '*' in front marks the start of a sentence when `with_starts`.
inline std::vector<std::string> listing(std::string_view text, const std::vector<Token>& tokens,
                                        bool with_starts) {
  std::vector<std::string> lines;
  for (const Token& token : tokens) {
    std::string line = with_starts && token.starts_sentence ? "*" : "";
    line += "wnpo"[static_cast<int>(token.token_class)];
    line += ':';
    line += text.substr(token.begin, token.end - token.begin);
    lines.push_back(line);
  }
  return lines;
}

inline std::vector<std::string> tokens_of(std::string_view text, bool with_starts = false) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  return listing(text, tokens, with_starts);
}

}  // namespace sotto
