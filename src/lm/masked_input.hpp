// The input of a masked model: a window of a text, with one word masked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "lm/language_model.hpp"
#include "lm/word_filler.hpp"

namespace sotto::lm {

/// How much of a text goes into a question. Immutable, so safe to share between threads.
class MaskedInput {
 public:
  /// `with_original`: the original text precedes the one with the mask. `most_words`: tokens per window; 0:
  /// as many as the model was trained on, if known, otherwise as many as it takes.
  static Result<MaskedInput> make(const WordFiller& filler, bool with_original, std::size_t most_words);

  bool with_original() const { return with_original_; }

 private:
  friend class MaskedText;

  /// Special tokens and segments of the texts, from the tokenizer's template.
  struct Frame {
    std::vector<std::int32_t> before, between, after;
    std::int32_t first_segment = 0;
    std::int32_t second_segment = 0;
  };

  const WordFiller* filler_ = nullptr;
  Frame frame_;
  bool with_original_ = true;
  std::size_t most_words_ = 0;
  std::size_t most_pieces_ = 0;  // per text; for the pair layout
};

/// A text as a masked model reads it: the original, and its current state while words are replaced. Not
/// thread-safe.
class MaskedText {
 public:
  /// Copies what it needs of the text; `tokens` is the output of tokenize(). The filler must outlive it.
  MaskedText(const WordFiller& filler, std::string_view text, std::span<const Token> tokens);

  /// Set what a token's place holds: a word for the token itself (or none: deleted), and one after it.
  void replace(std::size_t token, std::string_view word);
  void remove(std::size_t token);
  void add_after(std::size_t token, std::string_view word);
  /// Says that a word will be added after a token, in ascending order, so that read() has a mask for it.
  void expect_after(std::size_t token) { expected_.push_back(token); }

  /// The question for a token's place or, with `after`, for what follows it. Every other place shows the text
  /// in its current state. Fills `out`; returns the index of the mask in it.
  std::uint32_t mask(const MaskedInput& input, std::size_t token, bool after, Sequence& out) const;

  /// Tokens of a text.
  struct Window {
    std::size_t begin;
    std::size_t end;
    bool operator==(const Window&) const = default;
  };
  /// The part of the original in which a token is scored without a mask. Windows overlap by a quarter, and a
  /// token has an eighth of its window to both sides of it unless the text ends there.
  Window window_of(const MaskedInput& input, std::size_t token) const;
  /// Indices in a sequence, one per token of its window.
  struct Places {
    std::vector<std::uint32_t> words;  ///< the token's first piece
    std::vector<std::uint32_t> masks;  ///< the mask of the word expected after it; 0: there is none
  };
  /// The original in a window, nothing in it masked, and at the end a mask for each word that is expected;
  /// for the slots layout. Fills `out`.
  Places read(Window window, Sequence& out) const;

 private:
  struct Cell {
    std::vector<std::int32_t> word;
    std::vector<std::int32_t> added;
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
  std::vector<std::uint32_t> begins_;  // of each token's pieces, and the end
  std::vector<Cell> cells_;            // empty until something is replaced
  std::vector<std::size_t> expected_;  // tokens after which a word will be added
};

}  // namespace sotto::lm
