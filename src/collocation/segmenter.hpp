// Splits texts into phrases and single tokens, by position: each token of the text belongs to exactly one
// piece.
//
// The candidates are the occurrences of the table's phrases: two or three consecutive tokens of class word,
// of which only the first may begin a sentence. (Consecutive tokens have only whitespace between them, and
// between two words only a blank line ends a sentence, so this is equivalent to searching each range of
// split_sentences().) A single token scores 0. The methods:
//   gst      From the left, at each position: the three words there if they are a phrase, else the two, else
//            the single token; then on to the first token not yet covered. Algorithm 1 as printed advances
//            by 3 if nothing matched, which would drop words; advancing by 2 after three words, as its
//            published code does, would cover the last of them twice.
//   mst      All candidates and single tokens by score, highest first; ties go to the longer, then to the one
//            further left; each is taken unless one of its positions is already taken. Remembering words by
//            their spelling, as Algorithm 2 can be read, would confuse a word with its repetition.
//   optimal  The segmentation with the largest sum of scores; among those, the fewest tokens; among those,
//            the one with the longer piece where, from the left, they first differ.
// So gst takes a phrase whatever its score; mst and optimal take none below 0. Sums are exact integers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "collocation/phrase_hash.hpp"

namespace sotto::collocation {

/// The tokens [first, first + length) of a text: one to three.
struct Piece {
  std::uint32_t first;
  std::uint32_t length;
  PhraseId phrase;  ///< kNoPhrase for a single token
};

/// Not thread-safe: one per thread.
class Segmenter {
 public:
  /// Forms only phrases that `allowed` (by phrase id; null: all) permits; it must outlive the segmenter.
  /// `table` may be null for Segmentation::none.
  Segmenter(std::shared_ptr<const PhraseTable> table, Segmentation method,
            const std::vector<bool>* allowed = nullptr);

  /// Replaces `pieces` with those of `text`, in order; `tokens` is the result of tokenize(). Takes linear
  /// time except for the sorting in MST.
  void segment(std::string_view text, const std::vector<Token>& tokens, std::vector<Piece>& pieces);

 private:
  // Phrases that begin at a token.
  struct Candidates {
    PhraseId two;
    PhraseId three;
  };
  struct Candidate {
    std::int32_t score;
    std::uint32_t length;
    std::uint32_t first;
  };
  // The best segmentation from a token onwards.
  struct Best {
    std::int64_t sum;
    std::uint32_t tokens;
    std::uint32_t length;  // of its first piece
  };
  // A word being looked up.
  struct Pending {
    WordBlock block;
    std::uint64_t hash;
  };
  static constexpr std::size_t kBatch = 64;

  void find_words(std::string_view text, const std::vector<Token>& tokens);
  void find_words(std::string_view text, const std::vector<Token>& tokens, std::size_t begin,
                  std::size_t end);
  bool prepare_word(std::string_view text, const Token& token, Pending& pending, std::uint32_t& word) const;
  void find_phrases(const std::vector<Token>& tokens);
  void find_phrases(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);
  bool follows(const std::vector<Token>& tokens, std::size_t index) const;
  PhraseId checked(PhraseId id) const;
  std::uint32_t group_end(std::uint32_t begin, std::uint32_t count) const;
  void choose_greedy(std::uint32_t begin, std::uint32_t end);
  void choose_by_score(std::uint32_t begin, std::uint32_t end);
  void choose_optimal(std::uint32_t begin, std::uint32_t end);
  PhraseId phrase_at(std::uint32_t first, std::uint32_t length) const;
  std::int32_t score_of(PhraseId phrase) const;

  std::shared_ptr<const PhraseTable> table_;
  Segmentation method_;
  const std::vector<bool>* allowed_;

  // Scratch, one element per token.
  std::vector<std::uint32_t> words_;
  std::vector<Candidates> candidates_;
  std::vector<std::uint8_t> lengths_;  // of the chosen piece, stored at its first token

  std::array<Pending, kBatch> pending_;
  std::array<std::array<std::uint64_t, 2>, kBatch> hashes_;
  std::vector<Candidate> sorted_;
  std::vector<bool> taken_;
  std::vector<Best> best_;
};

}  // namespace sotto::collocation
