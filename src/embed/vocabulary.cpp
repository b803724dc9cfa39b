#include "embed/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "text/char_kind.hpp"
#include "text/letter_case.hpp"
#include "text/utf8.hpp"

namespace sotto::embed {
namespace {

bool is_ascii(std::string_view word) {
  return text::ascii_prefix(word, 0) == word.size();
}

// Replaces typographic apostrophes and hyphens with ' and -, and keeps everything else.
std::string plain_joiners(std::string_view word) {
  std::string plain;
  for (std::size_t position = 0; position < word.size();) {
    const text::CodePoint point = text::decode_utf8(word, position);
    if (text::is_word_joiner(point.value))
      plain += point.value == U'\'' || point.value == U'\u2019' ? '\'' : '-';
    else
      plain.append(word.substr(position, point.size));
    position += point.size;
  }
  return plain;
}

std::string capitalized(std::string_view word) {
  text::OutputBuffer buffer;
  text::append_capitalized(buffer, word);
  return std::string(buffer.view());
}

}  // namespace

Vocabulary::Vocabulary(std::span<const std::uint64_t> offsets, std::string_view words)
    : offsets_(offsets), words_(words), bottom_(static_cast<TokenId>(offsets.size() - 1)) {
  lower_case_only_ = all_lower_case();
  fill();
}

std::string_view Vocabulary::word(TokenId id) const {
  return {words_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
}

std::optional<Vocabulary::ShortKey> Vocabulary::short_key(std::string_view spelling) {
  if (spelling.size() > kShort || spelling.find('\0') != std::string_view::npos) return std::nullopt;
  char padded[kShort] = {};
  std::copy(spelling.begin(), spelling.end(), padded);
  return load_key(padded, spelling.size());
}

bool Vocabulary::all_lower_case() const {
  // First all bytes at once, without branches, which is enough for nearly every vocabulary.
  bool upper = false;
  bool beyond_ascii = false;
  for (const char c : words_) {
    upper |= static_cast<unsigned char>(c - 'A') < 26;
    beyond_ascii |= (static_cast<unsigned char>(c) & 0x80) != 0;
  }
  if (upper || !beyond_ascii) return !upper;
  for (TokenId id = 0; id < bottom_; ++id)
    if (!is_ascii(word(id)) && text::to_lower(word(id)) != word(id)) return false;
  return true;
}

void Vocabulary::fill() {
  const std::size_t size = std::bit_ceil(std::size_t{2} * bottom_ + 1);
  slots_.assign(size, Slot{{0, 0}, bottom_});
  mask_ = size - 1;
  // The slots of a large table are not cached: those for the words ahead are prefetched while earlier words
  // are inserted.
  constexpr TokenId kAhead = 16;
  std::array<std::optional<ShortKey>, kAhead> waiting;
  for (TokenId id = 0; id < bottom_; ++id) {
    if (id >= kAhead) insert(id - kAhead, waiting[id % kAhead]);
    waiting[id % kAhead] = short_key(word(id));
    if (waiting[id % kAhead]) __builtin_prefetch(&slots_[hash_of(*waiting[id % kAhead]) & mask_], 1);
  }
  for (TokenId id = bottom_ - std::min(bottom_, kAhead); id < bottom_; ++id) insert(id, waiting[id % kAhead]);
}

void Vocabulary::insert(TokenId id, const std::optional<ShortKey>& key) {
  if (!key) {
    const TokenId earlier = long_words_.insert(word(id), id, [this](TokenId other) { return word(other); });
    if (earlier != WordIndex::kNone) note_repeated(earlier, id);
    return;
  }
  std::size_t place = hash_of(*key) & mask_;
  while (slots_[place].key.low != 0 && slots_[place].key != *key) place = (place + 1) & mask_;
  if (slots_[place].key.low != 0) return note_repeated(slots_[place].id, id);
  slots_[place] = {*key, id};
}

TokenId Vocabulary::find_exact(std::string_view spelling) const {
  if (const std::optional<ShortKey> key = short_key(spelling)) return find_short(*key);
  const std::uint32_t id = long_words_.find(spelling, [this](TokenId other) { return word(other); });
  return id == WordIndex::kNone ? bottom_ : id;
}

TokenId Vocabulary::find_cased(const ShortKey& key, const ShortKey& folded) const {
  if (const TokenId id = find_short(key); id != bottom_) return id;
  if (folded != key) {
    if (const TokenId id = find_short(folded); id != bottom_) return id;
  }
  const auto first = static_cast<unsigned char>(folded.low & 0xFF);
  if (first < 'a' || first > 'z') return bottom_;
  return find_short({folded.low & ~std::uint64_t{0x20}, folded.high});
}

TokenId Vocabulary::find(std::string_view spelling) const {
  if (const TokenId id = find_exact(spelling); id != bottom_) return id;
  if (!is_ascii(spelling)) {
    if (const TokenId id = find_exact(plain_joiners(spelling)); id != bottom_) return id;
  }
  const std::string lower = text::lookup_form(spelling);
  if (const TokenId id = find_exact(lower); id != bottom_ || lower_case_only_) return id;
  return find_exact(capitalized(lower));
}

}  // namespace sotto::embed
