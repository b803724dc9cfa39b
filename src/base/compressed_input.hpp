// Byte streams from files. What is compressed is recognized by its first bytes and decompressed on the fly,
// and other encodings become UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "base/compression.hpp"
#include "base/file.hpp"
#include "base/text_encoding.hpp"

namespace sotto::base {

/// How to read an input.
struct InputOptions {
  TextEncoding encoding;  ///< of the decompressed content
  /// Polled while the input (a pipe, a terminal) delivers nothing; false stops the wait with
  /// Errc::interrupted. Empty: waits as long as it takes.
  std::function<bool()> go_on;
};

/// The contents of a file as a stream. Not thread-safe.
class InputStream {
 public:
  virtual ~InputStream() = default;

  /// Reads up to `size` bytes of content; returns 0 at the end.
  virtual Result<std::size_t> read(char* data, std::size_t size) = 0;
  /// Bytes read from the file itself so far, for progress reports.
  virtual std::uint64_t file_position() const = 0;
  /// Skips `size` bytes of content; returns false if there are fewer.
  virtual Result<bool> skip(std::uint64_t size);
  /// Whether the content is the bytes of the file.
  virtual bool is_plain() const { return false; }
  /// The encoding that the content had, in the byte order found.
  virtual TextEncoding encoding() const { return {}; }

  /// Opens a plain or compressed file. A file whose name says that it is compressed must be. The error for
  /// any other archive names its format.
  static Result<std::unique_ptr<InputStream>> open(const std::filesystem::path& file,
                                                   const InputOptions& options = {});
  /// The same for an open file; `name` is for messages and says nothing about compression.
  static Result<std::unique_ptr<InputStream>> open(FileDescriptor descriptor, std::string name,
                                                   const InputOptions& options = {});
};

/// The entire content of a file of moderate size.
Result<std::string> read_content(const std::filesystem::path& file, const InputOptions& options = {});

/// A window onto an InputStream that can be inspected before it is consumed. Not thread-safe.
class BufferedInput {
 public:
  static Result<BufferedInput> open(const std::filesystem::path& file, const InputOptions& options = {});
  /// Standard input, which stays open. Blocks until the first bytes arrive.
  static Result<BufferedInput> open_standard_input(const InputOptions& options = {});

  const std::string& name() const { return name_; }       ///< for messages
  std::uint64_t offset() const { return offset_; }        ///< decompressed bytes consumed so far
  std::uint64_t file_position() const;                    ///< bytes of the file read so far
  std::uint64_t file_size() const { return file_size_; }  ///< of the file itself, 0 if unknown
  std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Makes the window at least `size` bytes long, or as long as the remaining input if that is shorter.
  Result<void> fill(std::size_t size);
  /// Drops bytes from the front of the window.
  void consume(std::size_t size);

  /// Sets `line` to the next line without its terminator ("\n" or "\r\n"), valid until the next call; returns
  /// false at the end. A line longer than `limit` is an error.
  Result<bool> next_line(std::string_view& line, std::size_t limit);
  /// Copies exactly `size` bytes; returns false if the input ends first.
  Result<bool> read_exactly(char* data, std::size_t size);

 private:
  BufferedInput() = default;

  std::string name_;
  std::uint64_t file_size_ = 0;
  std::unique_ptr<InputStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace sotto::base
