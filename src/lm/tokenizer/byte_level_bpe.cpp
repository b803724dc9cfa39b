#include "lm/tokenizer/byte_level_bpe.hpp"

#include <algorithm>
#include <queue>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "lm/tokenizer/byte_level.hpp"

namespace sotto::lm {

struct ByteLevelBpe::Symbol {
  SubwordId id;
  std::uint32_t begin;
  std::uint32_t end;  // == begin: merged into the previous one
  std::int32_t previous;
  std::int32_t next;
};

/// Two neighbours that could be merged, if they have not changed since.
struct ByteLevelBpe::Candidate {
  std::uint32_t rank;
  std::int32_t position;
  SubwordId merged;

  // The queue pops the greatest first; that must be the lowest rank and, among equals, the leftmost.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

/// Merges one word in O(n log n), since every merge adds at most two candidates.
class ByteLevelBpe::Merging {
 public:
  explicit Merging(const ByteLevelBpe& model) : model_(model) {}

  void add(SubwordId id, std::uint32_t position) {
    const auto index = static_cast<std::int32_t>(symbols_.size());
    symbols_.push_back({id, position, position + 1, index - 1, index + 1});
  }

  void run() {
    if (symbols_.empty()) return;
    symbols_.back().next = -1;
    for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) propose(static_cast<std::int32_t>(i));
    while (!queue_.empty()) {
      const Candidate candidate = queue_.top();
      queue_.pop();
      apply(candidate);
    }
  }

  void collect(std::vector<WordPart>& parts) const {
    for (const Symbol& symbol : symbols_)
      if (symbol.end > symbol.begin) parts.push_back({symbol.id, symbol.begin, symbol.end});
  }

 private:
  void propose(std::int32_t left) {
    const Symbol& symbol = symbols_[static_cast<std::size_t>(left)];
    if (symbol.next < 0) return;
    const Merge* merge = model_.find_merge(symbol.id, symbols_[static_cast<std::size_t>(symbol.next)].id);
    if (merge != nullptr) queue_.push({merge->rank, left, merge->merged});
  }

  void apply(const Candidate& candidate) {
    Symbol& left = symbols_[static_cast<std::size_t>(candidate.position)];
    if (left.end == left.begin || left.next < 0) return;
    Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
    const Merge* merge = model_.find_merge(left.id, right.id);
    if (merge == nullptr || merge->merged != candidate.merged) return;
    left.id = candidate.merged;
    left.end = right.end;
    right.end = right.begin;
    left.next = right.next;
    if (left.next >= 0) symbols_[static_cast<std::size_t>(left.next)].previous = candidate.position;
    if (left.previous >= 0) propose(left.previous);
    propose(candidate.position);
  }

  const ByteLevelBpe& model_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> queue_;
};

Result<std::unique_ptr<const SubwordModel>> ByteLevelBpe::make(const SubwordVocabulary& vocabulary,
                                                               const MergeList& merges,
                                                               const BpeSettings& settings,
                                                               std::string_view file) {
  std::unique_ptr<ByteLevelBpe> model(new ByteLevelBpe(settings));
  for (unsigned byte = 0; byte < 256; ++byte)
    model->byte_ids_[byte] = vocabulary.find(byte_symbol(static_cast<unsigned char>(byte)));
  if (std::none_of(model->byte_ids_.begin(), model->byte_ids_.end(), [](auto id) { return id.has_value(); }))
    return fail(Errc::bad_format, fmt::format("{}: the vocabulary has no token for any single byte", file));
  SOTTO_TRY(model->add_merges(vocabulary, merges, file));
  return model;
}

Result<void> ByteLevelBpe::add_merges(const SubwordVocabulary& vocabulary, const MergeList& merges,
                                      std::string_view file) {
  merges_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    const auto left_id = vocabulary.find(left);
    const auto right_id = vocabulary.find(right);
    const auto merged = vocabulary.find(left + right);
    if (!left_id || !right_id || !merged)
      return fail(Errc::bad_format,
                  fmt::format("{}: merge {} ('{}' '{}') needs the token '{}', which the vocabulary lacks",
                              file, rank + 1, left, right,
                              !left_id    ? left
                              : !right_id ? right
                                          : left + right));
    // The last rank counts for a repeated pair, as in the reference.
    merges_.assign(std::uint64_t{*left_id} << 32 | *right_id, {static_cast<std::uint32_t>(rank), *merged});
  }
  return {};
}

void ByteLevelBpe::encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const {
  if (settings_.whole_segments) return add_word(normalized, 0, 0, sink);
  std::size_t position = 0;
  const bool prefix = settings_.add_prefix_space && place != SegmentPlace::after_text &&
                      !normalized.empty() && normalized[0] != ' ';
  if (prefix || place == SegmentPlace::after_blank) {
    position = gpt2_word_end_after_blank(normalized);
    std::string word = " ";
    word += normalized.substr(0, position);
    add_word(word, 0, 1, sink);
  }
  while (position < normalized.size()) {
    const std::size_t end = gpt2_word_end(normalized, position);
    add_word(normalized.substr(position, end - position), position, 0, sink);
    position = end;
  }
}

void ByteLevelBpe::add_word(std::string_view word, std::size_t begin, std::size_t own_blank,
                            PieceSink& sink) const {
  const auto in_text = [begin, own_blank](std::size_t at) { return begin + at - std::min(at, own_blank); };
  cache_.visit(
      word, [this](std::string_view fresh, std::vector<WordPart>& parts) { cut(fresh, parts); },
      [&](const std::vector<WordPart>& parts) {
        for (const WordPart& part : parts) sink.add(part.id, in_text(part.begin), in_text(part.end));
      });
}

void ByteLevelBpe::cut(std::string_view word, std::vector<WordPart>& parts) const {
  Merging merging(*this);
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto& id = byte_ids_[static_cast<unsigned char>(word[i])];
    const auto& known = id ? id : settings_.unknown;
    if (known) merging.add(*known, static_cast<std::uint32_t>(i));
  }
  merging.run();
  merging.collect(parts);
}

std::string ByteLevelBpe::decode(std::span<const std::string_view> tokens) const {
  std::string bytes;
  for (const std::string_view token : tokens) {
    const auto known = symbols_to_bytes(token);
    // An added token may contain characters that represent no byte; they are kept as they are.
    bytes += known ? std::string_view(*known) : token;
  }
  std::uint64_t replaced = 0;
  return is_valid_utf8(bytes) ? bytes : replace_invalid_utf8(bytes, replaced);
}

bool ByteLevelBpe::starts_word(std::string_view token) const {
  return token.starts_with(byte_symbol(' '));
}

std::string ByteLevelBpe::surface(std::string_view token) const {
  std::string bytes = symbols_to_bytes(token).value_or(std::string(token));
  if (bytes.starts_with(' ')) bytes.erase(0, 1);
  return bytes;
}

}  // namespace sotto::lm
