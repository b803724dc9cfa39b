// The documents of a corpus, in chunks that threads can work on independently: text files with one document a
// line, and JSONL files (by their name), plain, gzip or zstd.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "base/compressed_input.hpp"

namespace sotto {

/// Whole lines of one file.
struct CorpusChunk {
  std::string lines;           ///< each with its line end
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in the order of the corpus
  std::string file;            ///< for messages
  std::uint64_t first_line = 0;
  bool is_jsonl = false;
};

class CorpusReader {
 public:
  /// Opens nothing yet.
  explicit CorpusReader(std::vector<std::filesystem::path> inputs);

  /// The next chunk, or false at the end. Calls must be serialized.
  Result<bool> next(CorpusChunk& chunk);

  /// Bytes of the files themselves, read so far and in all.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_in_all() const { return bytes_in_all_; }

 private:
  std::vector<std::filesystem::path> inputs_;
  std::size_t next_input_ = 0;
  std::optional<BufferedInput> input_;
  std::uint64_t line_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t bytes_before_ = 0;  // of the inputs that are read to their end
  std::uint64_t bytes_in_all_ = 0;
};

/// Passes the documents of a chunk on, as valid UTF-8; `field` names what is read of JSONL records. Errors
/// name file and line. Thread-safe.
Result<void> for_each_document(const CorpusChunk& chunk, const std::string& field,
                               const std::function<void(std::string_view text)>& visit);

}  // namespace sotto
