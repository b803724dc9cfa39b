// Cuts texts into phrases and single tokens, by position: each token of the text belongs to exactly one
// piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

namespace sotto {

/// The tokens [first, first + length) of a text: one to three.
struct Piece {
  std::uint32_t first;
  std::uint32_t length;
  PhraseId phrase;  ///< kNoPhrase for a single token
};

/// Not thread-safe: each thread has its own.
class Segmenter {
 public:
  /// Forms only phrases for which `allowed` (by phrase id; null: all) says so; it must outlive this.
  Segmenter(std::shared_ptr<const PhraseTable> table, Segmentation method,
            const std::vector<bool>* allowed = nullptr);

  /// Replaces `pieces` by those of `text`, in order; `tokens` is what tokenize() made of it. Takes linear
  /// time but for the sorting in MST.
  void segment(std::string_view text, const std::vector<Token>& tokens, std::vector<Piece>& pieces);
};

}  // namespace sotto
