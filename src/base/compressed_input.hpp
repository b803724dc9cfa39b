// Byte streams from files, unpacked on the way when they are gzip, zstd or xz, told by their first bytes.
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

namespace sotto {

/// The content of a file as a stream. Not thread-safe.
class InputStream {
 public:
  virtual ~InputStream() = default;

  /// Up to `size` bytes of unpacked content; 0 at the end.
  virtual Result<std::size_t> read(char* data, std::size_t size) = 0;
  /// Bytes of the file itself read so far, for progress.
  virtual std::uint64_t file_position() const = 0;

  /// Opens a plain, gzip, zstd or xz file. Other archives are refused by name.
  static Result<std::unique_ptr<InputStream>> open(const std::filesystem::path& file);
  /// The same for what is open already; `name` is for messages.
  static Result<std::unique_ptr<InputStream>> open(FileDescriptor descriptor, std::string name);
};

/// A window on an InputStream that can be looked at before it is consumed. Not thread-safe.
class BufferedInput {
 public:
  static Result<BufferedInput> open(const std::filesystem::path& file);
  /// Standard input, which stays open. Waits for its first bytes.
  static Result<BufferedInput> open_standard_input();

  const std::string& name() const { return name_; }       ///< for messages
  std::uint64_t offset() const { return offset_; }        ///< unpacked bytes consumed so far
  std::uint64_t file_position() const;                    ///< bytes of the file read so far
  std::uint64_t file_size() const { return file_size_; }  ///< of the file itself, 0 if unknown
  std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Makes the window at least `size` bytes long, or as long as what is left, if that is less.
  Result<void> fill(std::size_t size);
  /// Drops bytes of the window.
  void consume(std::size_t size);

  /// Puts the next line, without its end ("\n" or "\r\n"), into `line`, valid until the next call; returns
  /// false at the end. A line longer than `limit` is an error.
  Result<bool> next_line(std::string_view& line, std::size_t limit);
  /// Copies exactly `size` bytes; returns false when the input ends before.
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

}  // namespace sotto
