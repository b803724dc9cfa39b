#include "lm/tokenizer/added_tokens.hpp"

#include <algorithm>
#include <utility>

#include "lm/tokenizer/unicode_classes.hpp"
#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

/// The code point that ends at text[position); position > 0, text valid.
text::CodePoint code_point_before(std::string_view text, std::size_t position) {
  std::size_t begin = position - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return text::decode_utf8(text, begin);
}

std::size_t strip_left(std::string_view text, std::size_t position, std::size_t limit) {
  while (position > limit) {
    const text::CodePoint before = code_point_before(text, position);
    if (!is_unicode_space(before.value)) break;
    position -= before.size;
  }
  return position;
}

std::size_t strip_right(std::string_view text, std::size_t position) {
  while (position < text.size()) {
    const text::CodePoint next = text::decode_utf8(text, position);
    if (!is_unicode_space(next.value)) break;
    position += next.size;
  }
  return position;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word_character(code_point_before(text, begin).value)) return false;
  return end == text.size() || !is_word_character(text::decode_utf8(text, end).value);
}

}  // namespace

void AddedTokens::Finder::add(std::string_view content, std::size_t index) {
  if (content.empty()) return;
  trie.insert(content, static_cast<std::uint32_t>(index));
  first_bytes[static_cast<unsigned char>(content[0])] = true;
  empty = false;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const SubwordModel& model)
    : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  NormalizedText normalized;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (!tokens_[i].normalized) {
      raw_.add(tokens_[i].content, i);
      continue;
    }
    model.normalize(tokens_[i].content, false, normalized);
    normalized_.add(normalized.view(), i);
  }
}

const AddedToken* AddedTokens::find(SubwordId id) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), id,
                       [](const AddedToken& token, SubwordId value) { return token.id < value; });
  return found != tokens_.end() && found->id == id ? &*found : nullptr;
}

void AddedTokens::split(std::string_view text, bool special, std::vector<TextSegment>& segments) const {
  split_by(raw_, text, special, segments);
}

void AddedTokens::split_normalized(std::string_view text, bool special,
                                   std::vector<TextSegment>& segments) const {
  split_by(normalized_, text, special, segments);
}

void AddedTokens::split_by(const Finder& finder, std::string_view text, bool special,
                           std::vector<TextSegment>& segments) const {
  segments.clear();
  std::size_t done = 0;  // text[0, done) is in segments
  for (std::size_t i = 0; !finder.empty && i < text.size();) {
    const auto match = finder.first_bytes[static_cast<unsigned char>(text[i])]
                           ? finder.trie.longest(text.substr(i))
                           : std::nullopt;
    if (!match) {
      ++i;
      continue;
    }
    const AddedToken& token = tokens_[match->value];
    std::size_t begin = i;
    std::size_t end = i + match->length;
    i = end;
    if (token.special && !special) continue;
    if (token.single_word && !stands_alone(text, begin, end)) continue;
    // The previous token may already have taken these blanks.
    begin = std::max(done, token.lstrip ? strip_left(text, begin, done) : begin);
    if (token.rstrip) end = strip_right(text, end);
    if (end <= done) continue;
    if (done < begin) segments.push_back({nullptr, done, begin});
    segments.push_back({&token, begin, end});
    done = end;
  }
  if (done < text.size()) segments.push_back({nullptr, done, text.size()});
}

}  // namespace sotto::lm
