// What a masked model is asked: a window of a text, with one word of it masked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "lm/language_model.hpp"
#include "lm/word_filler.hpp"

namespace sotto {

/// What of a text stands in a question. Immutable, so safe to share between threads.
class MaskedInput {
 public:
  /// `with_original`: the original text stands before the one with the mask. `most_words`: tokens of a
  /// window; 0: as many as the model was trained on, where that is known, or takes.
  static Result<MaskedInput> make(const WordFiller& filler, bool with_original, std::size_t most_words);

  bool with_original() const { return with_original_; }

 private:
  friend class MaskedText;

  /// Special tokens and the segments of texts, as the tokenizer's template has them.
  struct Frame {
    std::vector<std::int32_t> before, between, after;
    std::int32_t first_segment = 0;
    std::int32_t second_segment = 0;
  };

  const WordFiller* filler_ = nullptr;
  Frame frame_;
  bool with_original_ = true;
  std::size_t most_words_ = 0;
  std::size_t most_pieces_ = 0;  // of a text; for the pair layout
};

/// A text as a masked model reads it: the original, and what stands in its place while words are replaced.
/// Not thread-safe.
class MaskedText {
 public:
  /// Takes what it needs of the text; `tokens` is what tokenize() made of it. The filler must outlive it.
  MaskedText(const WordFiller& filler, std::string_view text, std::span<const Token> tokens);

  /// The words that now stand in a token's place: one for the token itself (nothing: it was deleted), and
  /// one after it.
  void replace(std::size_t token, std::string_view word);
  void remove(std::size_t token);
  void add_after(std::size_t token, std::string_view word);

  /// The question for what stands in a token's place or, with `after`, behind it. Every other place shows
  /// the text as it now stands. Fills `out`; returns the place of the mask in it.
  std::uint32_t mask(const MaskedInput& input, std::size_t token, bool after, Sequence& out) const;

 private:
  struct Cell {
    std::vector<std::int32_t> word;
    std::vector<std::int32_t> added;
  };
  struct Window {
    std::size_t begin;
    std::size_t end;
  };

  std::size_t size() const { return begins_.size() - 1; }
  std::span<const std::int32_t> original(std::size_t token) const {
    return std::span(pieces_).subspan(begins_[token], begins_[token + 1] - begins_[token]);
  }
  std::span<const std::int32_t> word(std::size_t token) const;
  std::span<const std::int32_t> added(std::size_t token) const;
  Cell& cell(std::size_t token);
  std::size_t pieces_of(std::size_t token) const;
  Window window(const MaskedInput& input, std::size_t token) const;
  void add_slot(std::span<const std::int32_t> pieces, std::size_t slot, std::int32_t segment,
                Sequence& out) const;
  std::uint32_t mask_slots(const MaskedInput& input, Window window, std::size_t token, bool after,
                           Sequence& out) const;
  std::uint32_t mask_pair(const MaskedInput& input, Window window, std::size_t token, bool after,
                          Sequence& out) const;

  const WordFiller& filler_;
  std::vector<std::int32_t> pieces_;   // of the original
  std::vector<std::uint32_t> begins_;  // of each token's, and the end
  std::vector<Cell> cells_;            // empty until something is replaced
};

}  // namespace sotto
