// A hash table of words by exact spelling that keeps no copy of them: the caller holds the words and provides
// them through `word_at(id)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::embed {

/// Open addressing, at most half full. Not thread-safe while being filled.
class WordIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  WordIndex() : slots_(16) {}

  std::size_t size() const { return size_; }

  /// The id of `word`, or kNone.
  template <class WordAt>
  std::uint32_t find(std::string_view word, const WordAt& word_at) const {
    return slots_[locate(word, hash_of(word), word_at)].id;
  }

  /// Adds `word` as `id` (not kNone) and returns kNone; if it already exists, returns its id.
  template <class WordAt>
  std::uint32_t insert(std::string_view word, std::uint32_t id, const WordAt& word_at) {
    const std::uint32_t hash = hash_of(word);
    const std::size_t place = locate(word, hash, word_at);
    if (slots_[place].id != kNone) return slots_[place].id;
    slots_[place] = {hash, id};
    if (++size_ * 2 > slots_.size()) grow();
    return kNone;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kNone;
  };

  static std::uint32_t hash_of(std::string_view word) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(word) >> 16);
  }

  template <class WordAt>
  std::size_t locate(std::string_view word, std::uint32_t hash, const WordAt& word_at) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].id != kNone && (slots_[place].hash != hash || word_at(slots_[place].id) != word))
      place = (place + 1) & mask;
    return place;
  }

  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      std::size_t place = slot.hash & mask;
      while (slots_[place].id != kNone) place = (place + 1) & mask;
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace sotto::embed
