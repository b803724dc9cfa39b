// Counts the n-grams of one chunk of the corpus, which is in memory.
//
// Positions are distributed by their first word, with the following pair of words as a 64-bit key, and the
// keys of each word are sorted: the lengths of equal runs give the counts of triples and pairs at once. Words
// are processed in portions, to bound the keys in memory at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "collocation/ngrams.hpp"
#include "collocation/word_stream.hpp"

namespace sotto::collocation {

/// Receives the n-grams of a chunk, piece by piece.
class PieceHandler {
 public:
  virtual ~PieceHandler() = default;
  /// A sink for the n-grams of the next first words. One thread calls this for all pieces of a portion, in
  /// order; the sinks are then filled in parallel.
  virtual std::unique_ptr<NgramSink> begin_piece(std::uint32_t first_word) = 0;
  /// Receives a filled sink; called in order.
  virtual Result<void> end_piece(std::unique_ptr<NgramSink> sink) = 0;
};

class NgramChunk {
 public:
  /// Ranks the words that the collectors have seen, and takes over their streams.
  NgramChunk(std::vector<WordCollector> collectors, unsigned threads);

  RankedWords words() const { return {pool_, offsets_, counts_}; }
  const TextCounts& text_counts() const { return text_counts_; }
  /// Size of the words and streams.
  std::uint64_t bytes() const;

  /// Passes all pairs and triples to sinks of `handler`, in ascending order from piece to piece. Holds at
  /// most `key_bytes` of keys, or the keys of a single word if they take more.
  Result<void> count(std::uint64_t key_bytes, PieceHandler& handler);

 private:
  struct LocalWord {
    std::uint32_t rank;
    std::uint32_t count;
  };
  struct LocalWords {
    std::vector<LocalWord> words;  // ascending by rank
    std::size_t next = 0;          // the first that no portion has taken yet
  };
  // The positions of one stream's keys, by first word.
  struct Parts {
    std::vector<std::uint64_t> begins;
    std::vector<std::uint64_t> ends;
  };
  struct Portion {
    std::uint32_t begin = 0;  // range of first words
    std::uint32_t end = 0;
    std::vector<std::uint64_t> bucket_starts;  // one per first word, plus the end
    std::vector<Parts> parts;                  // one per stream
  };

  void rank_words(std::vector<WordCollector>& collectors);
  void plan(Portion& portion, std::uint64_t key_bytes);
  void distribute(const Portion& portion, WordStream& stream, std::vector<std::uint64_t>& cursors);
  std::vector<std::uint32_t> cut(const Portion& portion) const;
  void count_piece(const Portion& portion, std::uint32_t begin, std::uint32_t end, NgramSink& sink);

  unsigned threads_;
  std::string pool_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> counts_;
  TextCounts text_counts_;
  std::vector<WordStream> streams_;
  std::vector<LocalWords> local_;  // one per stream
  std::unique_ptr<std::uint64_t[]> keys_;
  std::uint64_t key_capacity_ = 0;
};

}  // namespace sotto::collocation
