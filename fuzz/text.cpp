// UTF-8, tokenizer, sentences, letter case and renderer: no part of a text is lost or duplicated.
#include <algorithm>

#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"
#include "text/token_scanner.hpp"

namespace {

using namespace sotto;
using fuzz::require;

bool equal(const Token& a, const Token& b) {
  return a.begin == b.begin && a.end == b.end && a.token_class == b.token_class && a.ascii == b.ascii &&
         a.starts_sentence == b.starts_sentence;
}

void check_tokens(std::string_view text, const std::vector<Token>& tokens) {
  std::vector<Token> slow;
  text::tokenize_by_code_point(text, slow);
  require(std::equal(tokens.begin(), tokens.end(), slow.begin(), slow.end(), equal),
          "both tokenizers find the same tokens");
  std::size_t position = 0;
  std::vector<Token> between;
  for (const Token& token : tokens) {
    require(position <= token.begin && token.begin < token.end && token.end <= text.size(),
            "tokens stand in order inside the text");
    tokenize(text.substr(position, token.begin - position), between);
    require(between.empty(), "only whitespace stands between tokens");
    position = token.end;
  }
  tokenize(text.substr(position), between);
  require(between.empty(), "only whitespace stands after the last token");
}

void check_sentences(std::string_view text, const std::vector<Token>& tokens) {
  std::uint32_t next = 0;
  for (const TokenRange& sentence : split_sentences(text, tokens)) {
    require(sentence.first == next && sentence.last > sentence.first, "sentences follow one another");
    next = sentence.last;
  }
  require(next == tokens.size(), "every token belongs to a sentence");
}

void check_renderer(std::string_view text, const std::vector<Token>& tokens) {
  text::OutputBuffer kept;
  text::Renderer keeper(text, kept);
  for (const Token& token : tokens) keeper.keep(token);
  keeper.finish();
  require(kept.view() == text, "a text whose tokens are kept is the same text");
  text::OutputBuffer dropped;
  text::Renderer dropper(text, dropped);
  for (const Token& token : tokens) dropper.drop(token);
  dropper.finish();
  std::vector<Token> left;
  tokenize(dropped.view(), left);
  require(left.empty(), "a text whose tokens are dropped is whitespace");
}

void check_case(std::string_view text, const Token& token) {
  const std::string_view word = text.substr(token.begin, token.end - token.begin);
  text::OutputBuffer out;
  for (const auto pattern :
       {text::CasePattern::lower, text::CasePattern::capitalized, text::CasePattern::upper})
    text::append_in_case(out, text::to_lower(word), pattern);
  require(is_valid_utf8(out.view()) && is_valid_utf8(text::lookup_form(word)),
          "words in another case are UTF-8");
  (void)text::case_pattern(word);
}

}  // namespace

SOTTO_FUZZ_TARGET(text) {
  std::uint64_t replaced = 0;
  const std::string valid = replace_invalid_utf8(input, replaced);
  require(is_valid_utf8(valid), "repaired text is UTF-8");
  require(is_valid_utf8(input) == (replaced == 0) && (replaced > 0 || valid == input),
          "only what is not UTF-8 is repaired");
  text::OutputBuffer padded;  // the fast paths read past the end
  padded.append(valid);
  const std::string_view text = padded.view();
  std::vector<Token> tokens;
  tokenize(text, tokens);
  check_tokens(text, tokens);
  check_sentences(text, tokens);
  check_renderer(text, tokens);
  for (const Token& token : tokens) check_case(text, token);
}
