// Phrase tables written as real files, and segmentations as readable lists.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "collocation/segmenter.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {

/// Writes a table into `folder` and opens it.
inline std::shared_ptr<const PhraseTable> write_table(const TemporaryFolder& folder,
                                                      const std::vector<ScoredPhrase>& phrases) {
  const auto file = folder.path() / "phrases.safetensors";
  if (const auto digest = write_phrase_table(file, phrases, {}); !digest)
    throw std::runtime_error(digest.error().message);
  auto table = PhraseTable::open(file);
  if (!table) throw std::runtime_error(table.error().message);
  return *table;
}

struct Segmented {
  std::vector<std::string> tokens;  ///< in lower case, the words of a phrase joined by '_'
  double sum = 0;                   ///< of the scores, exact
  std::vector<collocation::Piece> pieces;
};

inline Segmented segment(const std::shared_ptr<const PhraseTable>& table, Segmentation method,
                         std::string_view text, const std::vector<bool>* allowed = nullptr) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  Segmented result;
  collocation::Segmenter(table, method, allowed).segment(text, tokens, result.pieces);
  for (const collocation::Piece& piece : result.pieces) {
    std::string joined;
    for (std::uint32_t i = piece.first; i < piece.first + piece.length; ++i) {
      if (!joined.empty()) joined += '_';
      for (const char c : text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin))
        joined += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    result.tokens.push_back(joined);
    if (piece.phrase != kNoPhrase) result.sum += table->pmi(piece.phrase);
  }
  return result;
}

}  // namespace sotto::testing
