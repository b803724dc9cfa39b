// Documents of a corpus for several threads: text with one document a line, or JSON lines; plain, gzip,
// zstd or xz.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/result.hpp>

#include "base/compressed_input.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// Whole lines of one input.
struct CorpusBlock {
  OutputBuffer data;        ///< valid UTF-8; the last line may lack its end
  std::uint32_t input = 0;  ///< index of the input
  std::uint64_t first_line = 1;
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in the order of the input
  bool jsonl = false;
};

/// Cuts inputs into blocks. Calls must be serialized.
class CorpusReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    CorpusFormat format = CorpusFormat::by_name;
    std::size_t block_bytes = 1 << 20;
  };
  /// A line longer than this is an error: a document must fit into memory.
  static constexpr std::size_t kLongestLine = 64 << 20;

  /// Finds files that are missing, unreadable or folders before anything is read.
  static Result<CorpusReader> open(Options options);

  /// Fills `block` with the next lines; false at the end. Bytes that are not UTF-8 become U+FFFD. A NUL byte
  /// is an error: the file is not text.
  Result<bool> next(CorpusBlock& block);

  /// Asked now and then while standard input is silent; false ends the waiting with Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  std::uint64_t bytes_read() const;                     ///< of all inputs, as stored
  std::uint64_t total_bytes() const { return total_; }  ///< of all inputs; 0 when unknown
  std::string input_name(std::uint32_t input) const;    ///< for messages

 private:
  explicit CorpusReader(Options options) : options_(std::move(options)) {}
  Result<void> open_next();
  Result<void> wait_for_standard_input() const;
  Result<void> fill(std::size_t size);
  Result<std::size_t> whole_lines(const CorpusBlock& block);
  Result<void> check(CorpusBlock& block) const;

  Options options_;
  std::optional<BufferedInput> input_;
  std::uint32_t next_input_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t sequence_ = 0;
  std::uint64_t finished_ = 0;  // bytes of the inputs before this one
  std::uint64_t total_ = 0;
  std::function<bool()> go_on_;
};

/// Takes the documents out of blocks. Not thread-safe: each thread has its own.
class DocumentExtractor {
 public:
  /// `field` is the member of a JSON object that is the document; null holds none.
  explicit DocumentExtractor(std::string field);
  ~DocumentExtractor();
  DocumentExtractor(DocumentExtractor&&) noexcept;
  DocumentExtractor& operator=(DocumentExtractor&&) noexcept;

  /// Calls `use` with each document of the block; blank lines are none in JSON lines, empty ones in text.
  /// `name` is the input's. A view is valid during the call only.
  Result<void> for_each(const CorpusBlock& block, std::string_view name,
                        const std::function<void(std::string_view document)>& use);

 private:
  struct Json;
  Result<std::optional<std::string_view>> parse(std::string_view line, std::string_view where);
  std::string field_;
  std::unique_ptr<Json> json_;
};

}  // namespace sotto
