#include <sotto/tokenizer.hpp>

#include "text/sentence_tracker.hpp"
#include "text/utf8.hpp"

namespace sotto {
using namespace text;
namespace {

/// Whether a sentence ends in the whitespace text[begin, end).
bool ends_in(std::string_view text, std::size_t begin, std::size_t end, SentenceTracker& tracker) {
  bool ends = false;
  while (begin < end) {
    const CodePoint blank = decode_utf8(text, begin);
    ends |= tracker.whitespace(blank.value);
    begin += blank.size;
  }
  return ends;
}

}  // namespace

std::vector<TokenRange> split_sentences(std::string_view text, const std::vector<Token>& tokens) {
  std::vector<TokenRange> sentences;
  if (tokens.empty()) return sentences;
  SentenceTracker tracker;
  const auto count = static_cast<std::uint32_t>(tokens.size());
  std::uint32_t first = 0;   // of the current sentence
  std::uint32_t border = 0;  // the token after the last sentence end seen
  bool has_start = false;    // the current sentence has its first word
  std::size_t position = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Token& token = tokens[i];
    if (ends_in(text, position, token.begin, tracker)) border = i;
    tracker.token(token.token_class, decode_utf8(text, token.begin).value);
    if (token.starts_sentence) {
      if (has_start) {
        sentences.push_back({first, border});
        first = border;
      }
      has_start = true;
    }
    position = token.end;
  }
  sentences.push_back({first, count});
  return sentences;
}

}  // namespace sotto
