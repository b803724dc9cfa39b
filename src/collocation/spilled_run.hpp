// A chunk's counts in a temporary file: its words, then its n-grams, both in ascending order.
//
// Numbers are written seven bits a byte, lowest first, the highest bit saying that more follow. A word is the
// length of the beginning it shares with the word before, the length of the rest, the rest, and its count. A
// pair is the difference of its first word to the pair before, its second word (its difference to the pair
// before, if the first words are the same), its count; then for each triple the difference of the third word
// to the one before (from −1 on, so never 0) and its count; then 0. At the beginning of a segment what comes
// before is 0.
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

namespace sotto {

struct SpilledRun {
  struct Segment {
    std::uint32_t first_word;  ///< no n-gram before begins with it or a later word
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
  /// The encoding; call it once, at the end.
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

/// Writes a chunk to the end of `file`. `key_bytes` as in NgramChunk::count.
Result<SpilledRun> spill(NgramChunk& chunk, std::uint64_t key_bytes, TemporaryFile& file);

/// Bytes of a file from one offset to another, through a buffer.
class SpillBytes {
 public:
  SpillBytes(const TemporaryFile& file, std::size_t buffer_size) : file_(&file), buffer_(buffer_size) {}

  void seek(std::uint64_t begin, std::uint64_t end);
  bool at_end() const { return next_ == filled_ && offset_ == end_; }
  std::uint64_t number();
  void copy(char* to, std::size_t size);
  /// Of a read that failed; numbers were 0 from then on.
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
  /// False at the end.
  bool next();
  const std::string& word() const { return word_; }
  std::uint64_t count() const { return count_; }
  const std::optional<Error>& error() const { return bytes_.error(); }

 private:
  SpillBytes bytes_;
  std::string word_;
  std::uint64_t count_ = 0;
};

/// Reads the n-grams of a run whose first words are in a range, in order.
class SpilledNgrams {
 public:
  SpilledNgrams(const TemporaryFile& file, const SpilledRun& run, std::size_t buffer_size,
                std::uint32_t first_begin, std::uint32_t first_end);
  /// The next pair; what is left of the triples before is passed over. False at the end.
  bool next_pair();
  /// The next triple of the pair; false after the last.
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
  std::size_t segment_;  // the next one
  std::uint32_t first_begin_;
  std::uint32_t first_end_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
  std::uint64_t pair_count_ = 0;
  std::uint64_t third_ = 0;  // plus 1
  std::uint64_t triple_count_ = 0;
  bool open_ = false;  // the triples of the pair are not read to their end
};

}  // namespace sotto
