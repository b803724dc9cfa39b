// From a spelling to a word's id: the lookup that every token of every document goes through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/model.hpp>

#include "embed/word_index.hpp"

namespace sotto::embed {

/// Immutable after construction, so safe to share between threads.
///
/// A spelling is looked up unchanged, then in lower case, then (for a vocabulary with words such as "Paris")
/// in lower case with a capital first letter. The typographic apostrophe (U+2019) and hyphens (U+2010,
/// U+2011) count as ' and -.
class Vocabulary {
 public:
  /// Word i is words[offsets[i], offsets[i + 1]). Both must outlive the vocabulary. Among equal words the
  /// first one is found.
  Vocabulary(std::span<const std::uint64_t> offsets, std::string_view words);

  /// The id of anything not in the vocabulary, which equals the number of words.
  TokenId bottom() const { return bottom_; }

  /// The first word that equals an earlier one, preceded by that earlier one; nothing if all are distinct.
  const std::optional<std::pair<TokenId, TokenId>>& repeated() const { return repeated_; }

  /// Any spelling, in UTF-8. Returns bottom() if there is no such word.
  TokenId find(std::string_view word) const;

  /// The same for a word of only ASCII letters, apostrophes and hyphens. The 16 bytes starting at `word` must
  /// be readable, whatever `length` is.
  TokenId find_ascii(const char* word, std::size_t length) const {
    if (length > kShort) [[unlikely]]
      return find({word, length});
    const ShortKey key = load_key(word, length);
    const ShortKey folded = fold(key, length);
    if (lower_case_only_) [[likely]]
      return find_short(folded);
    return find_cased(key, folded);
  }

  /// Prefetches what find_ascii will read for the same word, so that a caller who knows the next words can
  /// overlap their cache misses. The 16 bytes starting at `word` must be readable. Forced inline: GCC treats
  /// a function that only prefetches as having no effect and drops calls to it.
  [[gnu::always_inline]] void prefetch_ascii(const char* word, std::size_t length) const {
    if (length <= kShort) __builtin_prefetch(&slots_[hash_of(fold(load_key(word, length), length)) & mask_]);
  }

  /// Matches this exact spelling only.
  TokenId find_exact(std::string_view word) const;

 private:
  static constexpr std::size_t kShort = 16;

  // A word of up to 16 bytes, padded with zeros. Words that contain a zero byte are not short.
  struct ShortKey {
    std::uint64_t low;
    std::uint64_t high;
    bool operator==(const ShortKey&) const = default;
  };
  struct Slot {
    ShortKey key;
    TokenId id;
  };

  // For each length, the bytes of a key that belong to the word.
  static constexpr std::array<ShortKey, kShort + 1> kMasks = [] {
    std::array<ShortKey, kShort + 1> masks{};
    for (std::size_t i = 0; i <= kShort; ++i) {
      masks[i].low = i >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * i)) - 1;
      masks[i].high = i >= 16 ? ~std::uint64_t{0} : i <= 8 ? 0 : (std::uint64_t{1} << (8 * (i - 8))) - 1;
    }
    return masks;
  }();

  static ShortKey load_key(const char* word, std::size_t length) {
    ShortKey key;
    std::memcpy(&key, word, kShort);
    return {key.low & kMasks[length].low, key.high & kMasks[length].high};
  }

  // Lower case. Setting bit 5 turns A–Z into a–z and leaves a–z, the apostrophe (0x27) and the hyphen (0x2D)
  // unchanged, because they already have it; for other characters it would be wrong.
  static ShortKey fold(const ShortKey& key, std::size_t length) {
    constexpr std::uint64_t kCaseBits = 0x2020202020202020;
    return {key.low | (kCaseBits & kMasks[length].low), key.high | (kCaseBits & kMasks[length].high)};
  }

  static std::uint64_t hash_of(const ShortKey& key) {
    // One widening multiplication mixes both halves: every bit of the key reaches the middle of the product.
    using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(key.low ^ 0x9E3779B97F4A7C15) * (key.high ^ 0xD1B54A32D192ED03);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  TokenId find_short(const ShortKey& key) const {
    for (std::size_t place = hash_of(key) & mask_;; place = (place + 1) & mask_) {
      const Slot& slot = slots_[place];
      // An empty slot has a zero key, which no word has, and the id bottom.
      if (slot.key == key || slot.key.low == 0) return slot.id;
    }
  }

  TokenId find_cased(const ShortKey& key, const ShortKey& folded) const;
  std::string_view word(TokenId id) const;
  /// Nothing if the word is not short.
  static std::optional<ShortKey> short_key(std::string_view word);
  bool all_lower_case() const;
  void fill();
  void insert(TokenId id, const std::optional<ShortKey>& key);
  void note_repeated(TokenId earlier, TokenId id) {
    if (!repeated_) repeated_.emplace(earlier, id);
  }

  std::span<const std::uint64_t> offsets_;
  std::string_view words_;
  TokenId bottom_;
  bool lower_case_only_ = false;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  WordIndex long_words_;
  std::optional<std::pair<TokenId, TokenId>> repeated_;
};

}  // namespace sotto::embed

namespace sotto {

/// What only the library itself may see of a model.
struct ModelAccess {
  /// The table behind Model::find(). Valid as long as the model. Thread-safe.
  static const embed::Vocabulary& vocabulary(const Model& model);
};

}  // namespace sotto
