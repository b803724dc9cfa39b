// sentencepiece's replacement table (NFKC and the like), as found in tokenizer files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/subword_model.hpp"

namespace sotto::lm {

/// A double-array trie over the strings to replace, and the replacements. Reading is thread-safe.
class PrecompiledMap {
 public:
  /// `base64` is the table as in tokenizer.json; `field` names it in messages.
  static Result<PrecompiledMap> parse(std::string_view base64, std::string_view field);

  /// Appends the replaced text. Works on grapheme clusters: a cluster shorter than 6 bytes that starts with a
  /// string of the table is replaced as a whole, as in the reference.
  void apply(std::string_view text, bool track, NormalizedText& out) const;

 private:
  std::optional<std::string_view> replacement(std::string_view text) const;
  void add_cluster(std::string_view text, std::size_t begin, std::size_t end, NormalizedText& out) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // each terminated by a zero byte
};

}  // namespace sotto::lm
