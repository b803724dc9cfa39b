// Documents of a corpus for several threads: text with one document per line, or JSON lines; plain or
// compressed.
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

namespace sotto::collocation {

/// Whole lines of one input.
struct CorpusBlock {
  text::OutputBuffer data;  ///< valid UTF-8; the last line may lack its terminator
  std::uint32_t input = 0;  ///< index of the input
  std::uint64_t first_line = 1;
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in input order
  bool jsonl = false;
};

/// Splits inputs into blocks. Calls must be serialized.
class CorpusReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    CorpusFormat format = CorpusFormat::by_name;
    std::string encoding = "utf-8";  ///< as iconv calls it
    std::size_t block_bytes = 1 << 20;
  };
  /// A line longer than this is an error: a document must fit into memory.
  static constexpr std::size_t kLongestLine = 64 << 20;

  /// Detects missing files, unreadable files and folders before anything is read.
  static Result<CorpusReader> open(Options options);

  /// Fills `block` with the next lines; returns false at the end. Invalid UTF-8 becomes U+FFFD, unless the
  /// input is hardly UTF-8 at all. A NUL byte is an error: the file is not text.
  Result<bool> next(CorpusBlock& block);

  /// Polled while standard input delivers nothing; returning false stops the wait with Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  std::uint64_t bytes_read() const;                     ///< of all inputs, as stored
  std::uint64_t total_bytes() const { return total_; }  ///< of all inputs; 0 if unknown
  std::string input_name(std::uint32_t input) const;    ///< for messages

 private:
  explicit CorpusReader(Options options) : options_(std::move(options)) {}
  Result<void> open_next();
  Result<std::size_t> whole_lines(const CorpusBlock& block);
  Result<void> check(CorpusBlock& block) const;

  Options options_;
  base::TextEncoding encoding_;
  std::optional<base::BufferedInput> input_;
  std::uint32_t next_input_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t sequence_ = 0;
  std::uint64_t finished_ = 0;  // bytes of the previous inputs
  std::uint64_t total_ = 0;
  std::function<bool()> go_on_;
};

/// Extracts the documents from blocks. Not thread-safe: one per thread.
class DocumentExtractor {
 public:
  /// `field` is the member of a JSON object that holds the document; a null value means there is none.
  explicit DocumentExtractor(std::string field);
  ~DocumentExtractor();
  DocumentExtractor(DocumentExtractor&&) noexcept;
  DocumentExtractor& operator=(DocumentExtractor&&) noexcept;

  /// Calls `use` with each document of the block. Blank lines are skipped in JSON lines, and are documents in
  /// text. `name` is the input's. Views are valid only during the call.
  Result<void> for_each(const CorpusBlock& block, std::string_view name,
                        const std::function<void(std::string_view document)>& use);

 private:
  struct Json;
  Result<std::optional<std::string_view>> parse(std::string_view line, std::string_view where);
  std::string field_;
  std::unique_ptr<Json> json_;
};

}  // namespace sotto::collocation
