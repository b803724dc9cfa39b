// Tokens and their ids.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/subword_types.hpp"

namespace sotto::lm {

/// Allows lookups by views without copies.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

/// A two-way map between tokens and ids. Reading is thread-safe.
class SubwordVocabulary {
 public:
  SubwordVocabulary() = default;
  SubwordVocabulary(SubwordVocabulary&&) noexcept = default;
  SubwordVocabulary& operator=(SubwordVocabulary&&) noexcept = default;

  /// Larger ids are rejected: no model has that many, and a corrupt file must not claim all memory.
  static constexpr SubwordId kMaxId = 10'000'000;

  /// Adding the same pair again is not an error; another id for a token, or another token for an id, is.
  /// `file` is for messages.
  Result<void> add(std::string_view token, SubwordId id, std::string_view file);

  std::optional<SubwordId> find(std::string_view token) const;
  /// Empty for an id without a token. The view lives as long as this object.
  std::string_view token(SubwordId id) const;
  bool has(SubwordId id) const { return id < tokens_.size() && tokens_[id] != nullptr; }
  /// One more than the largest id.
  std::size_t size() const { return tokens_.size(); }

 private:
  StringMap<SubwordId> ids_;
  std::vector<const std::string*> tokens_;  // keys of ids_, whose nodes do not move
};

}  // namespace sotto::lm
