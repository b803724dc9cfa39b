// A chunk's counts in a temporary file: its words, then its n-grams, both in ascending order.
//
// Numbers are written with seven bits per byte, lowest first; the highest bit means that more follow. A word
// is the length of the prefix it shares with the previous word, the length of the rest, the rest, and its
// count. A pair is the difference of its first word from that of the previous pair, its second word (its
// difference from that of the previous pair if the first words are equal), and its count; then, for each
// triple, the difference of its third word from the previous one (starting from −1, so never 0) and its
// count; then 0. At the beginning of a segment the previous values are 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "collocation/chunk.hpp"
#include "collocation/ngrams.hpp"
#include "collocation/temporary_file.hpp"

namespace sotto::collocation {

struct SpilledRun {
  struct Segment {
    std::uint32_t first_word;  ///< no earlier n-gram begins with this or a later word
    std::uint64_t begin;       ///< offset in the file
    std::uint64_t end;
  };
  std::uint64_t words_begin = 0;
  std::uint64_t words_end = 0;
  std::uint32_t words = 0;
  std::vector<Segment> segments;
};

/// Encodes n-grams.
class NgramEncoder final : public NgramSink {
 public:
  explicit NgramEncoder(std::uint32_t first_word) : first_word_(first_word) {}
  void pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) override;
  void triple(std::uint32_t third, std::uint64_t count) override;
  /// The encoding; call once, at the end.
  const std::string& finish();
  std::uint32_t first_word() const { return first_word_; }

 private:
  void close_pair();

  std::uint32_t first_word_;
  std::string bytes_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
  std::uint64_t third_ = 0;  // plus 1
  bool open_ = false;
};

/// Appends a chunk to `file`. `key_bytes` is as in NgramChunk::count.
Result<SpilledRun> spill(NgramChunk& chunk, std::uint64_t key_bytes, TemporaryFile& file);

/// A range of a file's bytes, read through a buffer.
class SpillBytes {
 public:
  SpillBytes(const TemporaryFile& file, std::size_t buffer_size) : file_(&file), buffer_(buffer_size) {}

  void seek(std::uint64_t begin, std::uint64_t end);
  bool at_end() const { return next_ == filled_ && offset_ == end_; }
  std::uint64_t number();
  void copy(char* to, std::size_t size);
  /// The error of a failed read; all numbers since then are 0.
  const std::optional<Error>& error() const { return error_; }

 private:
  char byte() { return next_ < filled_ ? buffer_[next_++] : refilled_byte(); }
  char refilled_byte();

  const TemporaryFile* file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::optional<Error> error_;
};

/// Reads the words of a run, in order.
class SpilledWords {
 public:
  SpilledWords(const TemporaryFile& file, const SpilledRun& run, std::size_t buffer_size);
  /// Returns false at the end.
  bool next();
  const std::string& word() const { return word_; }
  std::uint64_t count() const { return count_; }
  const std::optional<Error>& error() const { return bytes_.error(); }

 private:
  SpillBytes bytes_;
  std::string word_;
  std::uint64_t count_ = 0;
};

/// Reads a run's n-grams whose first words are in a range, in order.
class SpilledNgrams {
 public:
  SpilledNgrams(const TemporaryFile& file, const SpilledRun& run, std::size_t buffer_size,
                std::uint32_t first_begin, std::uint32_t first_end);
  /// Moves to the next pair, skipping any unread triples of the previous one; returns false at the end.
  bool next_pair();
  /// Moves to the next triple of the pair; returns false after the last.
  bool next_triple();

  std::uint32_t first() const { return first_; }
  std::uint32_t second() const { return second_; }
  std::uint64_t pair_count() const { return pair_count_; }
  std::uint32_t third() const { return static_cast<std::uint32_t>(third_ - 1); }
  std::uint64_t triple_count() const { return triple_count_; }
  const std::optional<Error>& error() const { return bytes_.error(); }

 private:
  bool read_pair();

  const SpilledRun* run_;
  SpillBytes bytes_;
  std::size_t segment_;  // the next one to read
  std::uint32_t first_begin_;
  std::uint32_t first_end_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
  std::uint64_t pair_count_ = 0;
  std::uint64_t third_ = 0;  // plus 1
  std::uint64_t triple_count_ = 0;
  bool open_ = false;  // the pair may have unread triples
};

}  // namespace sotto::collocation
