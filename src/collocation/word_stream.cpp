#include "collocation/word_stream.hpp"

#include <algorithm>
#include <cstring>

#include "collocation/word_form.hpp"
#include "text/letter_case.hpp"

namespace sotto::collocation {

void WordCollector::add(std::string_view document) {
  tokenize(document, tokens_);
  ++counts_.documents;
  for (std::size_t begin = 0; begin < tokens_.size(); begin += kBatch)
    add_words(document, begin, std::min(begin + kBatch, tokens_.size()));
}

// In two steps, so that the cache misses of a batch overlap.
void WordCollector::add_words(std::string_view document, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens_[i];
    if (token.token_class != TokenClass::word || !is_short_word(token)) continue;
    blocks_[i - begin] = load_word_block(document, token);
    hashes_[i - begin] = hash_short_word(blocks_[i - begin], token.end - token.begin);
    dictionary_.prefetch(hashes_[i - begin]);
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens_[i];
    counts_.sentences += token.starts_sentence ? 1 : 0;
    if (token.token_class != TokenClass::word) continue;
    ++counts_.words;
    std::uint32_t entry = 0;
    if (is_short_word(token)) [[likely]] {
      char spelling[kWordBlock];
      std::memcpy(spelling, &blocks_[i - begin], kWordBlock);
      entry = dictionary_.add({spelling, token.end - token.begin}, hashes_[i - begin]);
    } else {
      entry = add_long_word(document.substr(token.begin, token.end - token.begin));
    }
    const bool starts = i == 0 || token.starts_sentence || tokens_[i - 1].token_class != TokenClass::word;
    stream_.push_back(entry | (starts ? WordStream::kStart : 0));
  }
}

std::uint32_t WordCollector::add_long_word(std::string_view word) {
  const std::string form = text::lookup_form(word);
  return dictionary_.add(form, hash_word(form));
}

std::uint64_t WordCollector::bytes() const {
  // Ranking sorts 16 bytes per word and keeps 8; the words move into one list with 16 bytes each.
  constexpr std::uint64_t kRankingBytes = 40;
  return dictionary_.bytes() + dictionary_.size() * kRankingBytes + stream_.bytes();
}

}  // namespace sotto::collocation
