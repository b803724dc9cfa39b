// Byte streams from files. gzip, zstd and xz are recognized by their first bytes and decompressed on the fly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::base {

/// The contents of a file as a stream. Not thread-safe.
class InputStream {
 public:
  virtual ~InputStream() = default;

  /// Reads up to `size` bytes of decompressed content; returns 0 at the end.
  virtual Result<std::size_t> read(char* data, std::size_t size) = 0;
  /// Bytes read from the file itself so far, for progress reports.
  virtual std::uint64_t file_position() const = 0;

  /// Opens a plain, gzip, zstd or xz file. The error for any other archive names its format.
  static Result<std::unique_ptr<InputStream>> open(const std::filesystem::path& file);
  /// The same for an open file; `name` is for messages.
  static Result<std::unique_ptr<InputStream>> open(FileDescriptor descriptor, std::string name);
};

/// The name without an extension that tells how the file is compressed: "a.jsonl" for "a.jsonl.xz".
std::filesystem::path without_compression(std::filesystem::path file);

/// A window onto an InputStream that can be inspected before it is consumed. Not thread-safe.
class BufferedInput {
 public:
  static Result<BufferedInput> open(const std::filesystem::path& file);
  /// Standard input, which stays open. Blocks until the first bytes arrive.
  static Result<BufferedInput> open_standard_input();

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
