// Files: read-only mappings, and writers whose file appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sotto/result.hpp>

namespace sotto {

/// A file descriptor that is closed on destruction.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }

  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  void close();

 private:
  int descriptor_ = -1;
};

/// Opens for reading; a folder is refused here, where the message can say so.
Result<FileDescriptor> open_for_reading(const std::filesystem::path& file);

/// Opens for writing and creates the file if it is not there; what is in it stays.
Result<FileDescriptor> open_for_writing(const std::filesystem::path& file);

/// Up to `size` bytes; 0 at the end. `name` is for messages.
Result<std::size_t> read_some(int descriptor, char* data, std::size_t size, std::string_view name);

/// All of `data`, or an error that carries the system's reason. `name` is for messages.
Result<void> write_all(int descriptor, std::string_view data, std::string_view name);

/// True when both names lead to one file; it need not exist yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// An error when `output` would replace `input`.
Result<void> check_output(const std::filesystem::path& output, const std::filesystem::path& input);

/// The whole content of a small file.
Result<std::string> read_file(const std::filesystem::path& file);

/// A whole file in memory, read-only, backed by the page cache.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& file);
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Writes to a file that has no name until commit(), so a reader sees the whole file or none.
/// Destroyed without commit(), or killed, it leaves nothing behind. A target that is not a regular file (a
/// device, a named pipe) is written to directly.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& target);
  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&& other) = delete;
  ~AtomicFile();

  int descriptor() const { return descriptor_.get(); }
  Result<void> write(std::string_view data);
  Result<void> commit();

 private:
  AtomicFile() = default;
  static Result<AtomicFile> open_device(const std::filesystem::path& device);
  Result<void> give_name();
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty while the file has no name
  FileDescriptor descriptor_;
  bool is_device_ = false;
};

}  // namespace sotto
