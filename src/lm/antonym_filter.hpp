// Which of the words that may come out mean the opposite of a word.
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

namespace sotto {

/// What is done with the antonyms of the word that is replaced.
enum class AntonymPolicy {
  keep,     ///< nothing
  demote,   ///< they get the least weight that the law allows
  exclude,  ///< they cannot come out, so that the output set depends on the text and nothing is promised
};

/// Immutable, so safe to share between threads.
class AntonymFilter {
 public:
  /// `words` are those that may come out; `folder` has WordNet's files.
  static Result<std::shared_ptr<const AntonymFilter>> open(std::span<const std::string> words,
                                                           const std::filesystem::path& folder);

  /// The numbers of the words one of whose base forms is an antonym of one of `word`'s, ascending.
  Result<std::vector<std::uint32_t>> antonyms(std::string_view word) const;

  /// Of WordNet's files.
  std::string digest() const { return net_.digest(); }

 private:
  explicit AntonymFilter(WordNet net) : net_(std::move(net)) {}

  WordNet net_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> forms_;  // base form to the words of it
};

}  // namespace sotto
