// Caches how words were split. Texts repeat their words, so most words are split only once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lm/tokenizer/subword_types.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"

namespace sotto::lm {

/// An id and the bytes of the word that it represents.
struct WordPart {
  SubwordId id;
  std::uint32_t begin;
  std::uint32_t end;
};

/// A bounded cache; it keeps words of the texts in memory for the lifetime of the tokenizer. Thread-safe:
/// sharding limits contention.
class WordCache {
 public:
  /// Calls visit_pieces(pieces) with the pieces of `word`, made by cut(word, pieces) if they are not cached.
  template <class Cut, class Visit>
  void visit(std::string_view word, const Cut& cut, const Visit& visit_pieces) {
    if (word.size() > kMaxWordBytes) {
      std::vector<WordPart> pieces;
      cut(word, pieces);
      visit_pieces(pieces);
      return;
    }
    Shard& shard = shards_[StringHash{}(word) >> 7 & (kShards - 1)];
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.words.find(word); found != shard.words.end()) {
      visit_pieces(found->second);
      return;
    }
    shard.fresh.clear();
    cut(word, shard.fresh);
    visit_pieces(shard.fresh);
    if (shard.words.size() < kMaxWords) shard.words.emplace(word, shard.fresh);
  }

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kMaxWords = 4096;     // per shard
  static constexpr std::size_t kMaxWordBytes = 256;  // longer words are rare and do not recur

  struct Shard {
    std::mutex mutex;
    StringMap<std::vector<WordPart>> words;
    std::vector<WordPart> fresh;
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace sotto::lm
