// A hash table of 64-bit keys in one block of memory, for the inner loops of the tokenizers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sotto::lm {

/// Keys are anything but all ones. Values are small and trivially copyable. Reading is thread-safe.
template <class Value>
class FlatMap {
 public:
  /// Makes room for `count` keys without rehashing.
  void reserve(std::size_t count) {
    const std::size_t wanted = std::bit_ceil(count * 2 + 16);
    if (wanted > slots_.size()) rehash(wanted);
  }

  /// The value of `key`; null if absent.
  const Value* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = home(key);; i = (i + 1) & mask()) {
      if (slots_[i].first == key) return &slots_[i].second;
      if (slots_[i].first == kEmpty) return nullptr;
    }
  }

  void assign(std::uint64_t key, const Value& value) {
    if ((count_ + 1) * 2 > slots_.size()) rehash(std::bit_ceil(slots_.size() * 2 + 16));
    for (std::size_t i = home(key);; i = (i + 1) & mask()) {
      if (slots_[i].first != key && slots_[i].first != kEmpty) continue;
      if (slots_[i].first == kEmpty) ++count_;
      slots_[i] = {key, value};
      return;
    }
  }

 private:
  using Slot = std::pair<std::uint64_t, Value>;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t key) const {
    const std::uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>(mixed >> 32) & mask();
  }

  void rehash(std::size_t size) {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size, Slot{kEmpty, Value{}}));
    count_ = 0;
    for (const Slot& slot : old)
      if (slot.first != kEmpty) assign(slot.first, slot.second);
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace sotto::lm
