#include "collocation/segmenter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "base/check.hpp"
#include "base/checked_value.hpp"
#include "collocation/phrase_table.hpp"
#include "collocation/word_form.hpp"
#include "text/letter_case.hpp"

namespace sotto {
using namespace collocation;
Segmenter::Segmenter(std::shared_ptr<const PhraseTable> table, Segmentation method,
                     const std::vector<bool>* allowed)
    : table_(std::move(table)), method_(method), allowed_(allowed) {
  SOTTO_CHECK(method_ == Segmentation::none || table_ != nullptr);
  SOTTO_CHECK(allowed_ == nullptr || table_ == nullptr || allowed_->size() >= table_->size());
}

void Segmenter::segment(std::string_view text, const std::vector<Token>& tokens, std::vector<Piece>& pieces) {
  const auto count = static_cast<std::uint32_t>(tokens.size());
  lengths_.assign(count, 1);
  if (method_ != Segmentation::none) {
    find_words(text, tokens);
    find_phrases(tokens);
    // Candidates that share no token do not affect each other, so each group is segmented separately.
    for (std::uint32_t begin = 0; begin < count;) {
      const std::uint32_t end = group_end(begin, count);
      if (end - begin > 1) {
        if (method_ == Segmentation::gst) choose_greedy(begin, end);
        if (method_ == Segmentation::mst) choose_by_score(begin, end);
        if (method_ == Segmentation::optimal) choose_optimal(begin, end);
      }
      begin = end;
    }
  }
  pieces.clear();
  for (std::uint32_t first = 0; first < count; first += lengths_[first])
    pieces.push_back({first, lengths_[first], phrase_at(first, lengths_[first])});
}

// Words are looked up in batches, in two steps, so that the cache misses of a batch overlap.
void Segmenter::find_words(std::string_view text, const std::vector<Token>& tokens) {
  words_.resize(tokens.size());
  for (std::size_t begin = 0; begin < tokens.size(); begin += kBatch)
    find_words(text, tokens, begin, std::min(begin + kBatch, tokens.size()));
}

void Segmenter::find_words(std::string_view text, const std::vector<Token>& tokens, std::size_t begin,
                           std::size_t end) {
  const PhraseTable::Impl& table = PhraseTableAccess::impl(*table_);
  std::uint64_t waiting = 0;  // bit i: token begin + i is not yet looked up
  static_assert(kBatch == 64);
  for (std::size_t i = begin; i < end; ++i)
    if (prepare_word(text, tokens[i], pending_[i - begin], words_[i]))
      waiting |= std::uint64_t{1} << (i - begin);
  for (; waiting != 0; waiting &= waiting - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(waiting));
    const Token& token = tokens[begin + i];
    const Pending& pending = pending_[i];
    char spelling[kWordBlock];
    std::memcpy(spelling, &pending.block, kWordBlock);
    words_[begin + i] = table.find_word({spelling, token.end - token.begin}, pending.hash);
  }
}

/// Whether the word must be looked up via `pending`; otherwise sets `word`.
bool Segmenter::prepare_word(std::string_view text, const Token& token, Pending& pending,
                             std::uint32_t& word) const {
  const PhraseTable::Impl& table = PhraseTableAccess::impl(*table_);
  word = kNoWord;
  if (token.token_class != TokenClass::word) return false;
  const std::size_t size = token.end - token.begin;
  if (is_short_word(token)) [[likely]] {
    pending.block = load_word_block(text, token);
    pending.hash = hash_short_word(pending.block, size);
    __builtin_prefetch(&table.word_slots[slot_place(pending.hash, table.word_slots.size())]);
    return true;
  }
  word = table.find_word(text::lookup_form(text.substr(token.begin, size)));
  return false;
}

/// Whether the token can be the second or third word of a phrase.
bool Segmenter::follows(const std::vector<Token>& tokens, std::size_t index) const {
  return index < tokens.size() && words_[index] != kNoWord && !tokens[index].starts_sentence;
}

void Segmenter::find_phrases(const std::vector<Token>& tokens) {
  candidates_.assign(tokens.size(), {kNoPhrase, kNoPhrase});
  for (std::size_t begin = 0; begin < tokens.size(); begin += kBatch)
    find_phrases(tokens, begin, std::min(begin + kBatch, tokens.size()));
}

void Segmenter::find_phrases(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  const PhraseTable::Impl& table = PhraseTableAccess::impl(*table_);
  const auto& slots = table.phrase_slots;
  const auto pair = [&](std::size_t i) { return PhraseWords{words_[i], words_[i + 1], kNoWord}; };
  const auto triple = [&](std::size_t i) { return PhraseWords{words_[i], words_[i + 1], words_[i + 2]}; };
  std::uint64_t pairs = 0;
  std::uint64_t triples = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (words_[i] == kNoWord || !follows(tokens, i + 1)) continue;
    auto& hashes = hashes_[i - begin];
    hashes[0] = hash_phrase(pair(i));
    __builtin_prefetch(&slots[slot_place(hashes[0], slots.size())]);
    pairs |= std::uint64_t{1} << (i - begin);
    if (!follows(tokens, i + 2)) continue;
    hashes[1] = hash_phrase(triple(i));
    __builtin_prefetch(&slots[slot_place(hashes[1], slots.size())]);
    triples |= std::uint64_t{1} << (i - begin);
  }
  for (; pairs != 0; pairs &= pairs - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(pairs));
    candidates_[begin + i].two = checked(table.find_phrase(pair(begin + i), hashes_[i][0]));
  }
  for (; triples != 0; triples &= triples - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(triples));
    candidates_[begin + i].three = checked(table.find_phrase(triple(begin + i), hashes_[i][1]));
  }
}

PhraseId Segmenter::checked(PhraseId id) const {
  return id == kNoPhrase || allowed_ == nullptr || (*allowed_)[id] ? id : kNoPhrase;
}

/// The end of the group of tokens, from `begin` on, that overlapping candidates connect.
std::uint32_t Segmenter::group_end(std::uint32_t begin, std::uint32_t count) const {
  std::uint32_t end = begin + 1;
  for (std::uint32_t i = begin; i < end && i < count; ++i) {
    if (candidates_[i].three != kNoPhrase)
      end = std::max(end, i + 3);
    else if (candidates_[i].two != kNoPhrase)
      end = std::max(end, i + 2);
  }
  return end;
}

void Segmenter::choose_greedy(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end; i += lengths_[i]) {
    if (candidates_[i].three != kNoPhrase)
      lengths_[i] = 3;
    else if (candidates_[i].two != kNoPhrase)
      lengths_[i] = 2;
  }
}

void Segmenter::choose_by_score(std::uint32_t begin, std::uint32_t end) {
  sorted_.clear();
  const auto add = [&](std::uint32_t first, std::uint32_t length) {
    const PhraseId phrase = phrase_at(first, length);
    // A single token scores 0, and would be taken before any candidate with a lower score.
    if (phrase != kNoPhrase && score_of(phrase) >= 0) sorted_.push_back({score_of(phrase), length, first});
  };
  for (std::uint32_t i = begin; i < end; ++i) {
    add(i, 2);
    add(i, 3);
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.length != b.length) return a.length > b.length;
    return a.first < b.first;
  });
  taken_.assign(end - begin, false);
  for (const Candidate& candidate : sorted_) {
    const auto from = taken_.begin() + (candidate.first - begin);
    if (std::find(from, from + candidate.length, true) != from + candidate.length) continue;
    std::fill(from, from + candidate.length, true);
    lengths_[candidate.first] = static_cast<std::uint8_t>(candidate.length);
  }
}

void Segmenter::choose_optimal(std::uint32_t begin, std::uint32_t end) {
  best_.assign(end - begin + 1, {0, 0, 1});
  for (std::uint32_t i = end; i-- > begin;) {
    Best& best = best_[i - begin];
    const Best& next = best_[i - begin + 1];
    best = {next.sum, next.tokens + 1, 1};
    for (std::uint32_t length = 2; length <= 3; ++length) {
      const PhraseId phrase = phrase_at(i, length);
      if (phrase == kNoPhrase) continue;
      const Best& rest = best_[i - begin + length];
      const std::int64_t sum = rest.sum + score_of(phrase);
      // The longer one comes later and wins ties.
      if (sum > best.sum || (sum == best.sum && rest.tokens + 1 <= best.tokens))
        best = {sum, rest.tokens + 1, length};
    }
  }
  for (std::uint32_t i = begin; i < end; i += lengths_[i])
    lengths_[i] = static_cast<std::uint8_t>(best_[i - begin].length);
}

PhraseId Segmenter::phrase_at(std::uint32_t first, std::uint32_t length) const {
  if (length == 1) return kNoPhrase;
  return length == 2 ? candidates_[first].two : candidates_[first].three;
}

std::int32_t Segmenter::score_of(PhraseId phrase) const {
  return PhraseTableAccess::impl(*table_).scores[phrase];
}

const char* to_string(Segmentation segmentation) {
  return kSegmentationNames[static_cast<std::size_t>(segmentation)].data();
}

Result<Segmentation> parse_segmentation(std::string_view parameter, std::string_view name, bool allow_none) {
  std::array names = kSegmentationNames;
  std::rotate(names.begin(), names.begin() + 1, names.end());  // "none" is the first enumerator
  SOTTO_ASSIGN(const std::size_t index,
               read_choice(parameter, name, std::span(names).first(names.size() - (allow_none ? 0 : 1))));
  return static_cast<Segmentation>((index + 1) % names.size());
}

}  // namespace sotto
