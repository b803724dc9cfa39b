// Numbers words in order of first appearance and counts them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collocation/phrase_hash.hpp"

namespace sotto::collocation {

/// Not thread-safe.
class WordDictionary {
 public:
  WordDictionary() : slots_(1 << 12, kEmptySlot), offsets_{0} {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(counts_.size()); }
  std::string_view word(std::uint32_t id) const {
    return std::string_view(pool_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  std::uint32_t count(std::uint32_t id) const { return counts_[id]; }
  std::uint32_t largest_count() const { return largest_count_; }

  /// Bytes held.
  std::uint64_t bytes() const {
    return slots_.capacity() * 8 + pool_.capacity() + offsets_.capacity() * 8 + counts_.capacity() * 4;
  }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[slot_place(hash, slots_.size())]); }

  /// The id of `word`, whose hash_word is `hash`; counts the occurrence.
  std::uint32_t add(std::string_view word, std::uint64_t hash) {
    std::uint32_t id =
        find_slot(slots_, hash, [&](std::uint32_t other) { return this->word(other) == word; });
    if (id == kNoEntry) id = insert(word, hash);
    if (++counts_[id] > largest_count_) largest_count_ = counts_[id];
    return id;
  }

 private:
  std::uint32_t insert(std::string_view word, std::uint64_t hash) {
    const std::uint32_t id = size();
    pool_.append(word);
    offsets_.push_back(pool_.size());
    counts_.push_back(0);
    if (2 * counts_.size() > slots_.size()) {
      // Doubles. The words are hashed again, because slots hold only the upper half of the hash.
      slots_ = make_slots(id + 1, [this](std::uint32_t other) { return hash_word(this->word(other)); });
      return id;
    }
    std::size_t place = slot_place(hash, slots_.size());
    while (slots_[place] != kEmptySlot) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = (hash >> 32) << 32 | id;
    return id;
  }

  std::vector<std::uint64_t> slots_;
  std::string pool_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> counts_;
  std::uint32_t largest_count_ = 0;
};

}  // namespace sotto::collocation
