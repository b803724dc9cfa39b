// Tokens outside a model's vocabulary: the word of the model that each of them stands for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <sotto/model.hpp>

#include "pipeline/rewrite/pinned_word_map.hpp"

namespace sotto::pipeline {

/// Where such a token enters the mechanism.
struct OutsidePlace {
  TokenId word;          ///< bottom() for ⊙, the input without a place
  embed::WordPath path;  ///< none for ⊙
};

/// Immutable, so safe to share between threads.
class OutsideWords {
 public:
  /// `model` must outlive this object.
  OutsideWords(const Model& model, std::shared_ptr<const PinnedWordMap> map)
      : model_(model), map_(std::move(map)) {}

  const std::string& map_digest() const { return map_->digest(); }

  /// Never a phrase: a single word stands for a single word. A function of the characters, the map and the
  /// model's words. An error if the map cannot be opened.
  Result<OutsidePlace> find(std::string_view token) const;

 private:
  const Model& model_;
  std::shared_ptr<const PinnedWordMap> map_;
};

/// Remembers recent answers: unknown tokens recur, and finding a place takes microseconds. Does not affect
/// the answers. Thread-safe: a token that one thread has met is known to all.
class RecentPlaces {
 public:
  /// `words` must outlive this object.
  explicit RecentPlaces(const OutsideWords& words) : words_(words) {}

  /// As OutsideWords::find.
  Result<OutsidePlace> find(std::string_view token);

 private:
  static constexpr std::size_t kEntries = 1 << 14;
  static constexpr std::size_t kLocks = 64;    // so that threads rarely wait for each other
  static constexpr std::size_t kLongest = 23;  // bytes of a token that is remembered

  /// One token per hash value; empty at first, which no token is. Its letters are in the entry, which is half
  /// a cache line.
  struct Entry {
    std::uint8_t size;
    std::array<char, kLongest> letters;
    OutsidePlace place;

    std::string_view token() const { return {letters.data(), size}; }
  };

  const OutsideWords& words_;
  std::once_flag made_;
  std::unique_ptr<Entry[]> entries_;      // made at the first token: most texts meet it late or never
  std::array<std::mutex, kLocks> locks_;  // of the entries with the same remainder
};

}  // namespace sotto::pipeline
