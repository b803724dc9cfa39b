// Finds which of the possible output words are antonyms of a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sotto/result.hpp>

#include "text/wordnet.hpp"

namespace sotto::lm {

/// What happens to the antonyms of the replaced word.
enum class AntonymPolicy {
  keep,     ///< nothing
  demote,   ///< they get the lowest weight that the law allows
  exclude,  ///< they are never drawn; the output set then depends on the text, so nothing is guaranteed
};

/// Immutable, so safe to share between threads.
class AntonymFilter {
 public:
  /// `words` are the possible outputs; `folder` holds WordNet's files.
  static Result<std::shared_ptr<const AntonymFilter>> open(std::span<const std::string> words,
                                                           const std::filesystem::path& folder);

  /// The indices of the words with a base form that is an antonym of a base form of `word`, ascending.
  Result<std::vector<std::uint32_t>> antonyms(std::string_view word) const;

  /// Of WordNet's files.
  std::string digest() const { return net_.digest(); }

 private:
  explicit AntonymFilter(text::WordNet net) : net_(std::move(net)) {}

  text::WordNet net_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> forms_;  // base form to its words
};

}  // namespace sotto::lm
