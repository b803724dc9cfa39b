// Files: read-only mappings, and writers whose file appears under its name only once it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include <sotto/result.hpp>

#include "base/compressor.hpp"

namespace sotto::base {

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

/// Opens for reading. Refuses a directory here, where the message can say so.
Result<FileDescriptor> open_for_reading(const std::filesystem::path& file);

/// Opens for writing and creates the file if it does not exist; existing content is kept.
Result<FileDescriptor> open_for_writing(const std::filesystem::path& file);

/// Opens a file with `flags` without following a symbolic link. Refuses anything but a regular file of this
/// user with a single name: another user may have planted it.
Result<FileDescriptor> open_own_file(const std::filesystem::path& file, int flags);

/// Locks the whole file until it is closed; returns false if another process holds the lock or the file
/// system does not support locks.
bool try_lock(int descriptor);

/// Whether `name` itself, not the target of a link, is the open file.
bool is_name_of(const std::filesystem::path& name, int descriptor);

/// Returns once the content is on disk.
Result<void> sync_file(int descriptor, std::string_view name);

/// Returns once the name of `file`, or its absence, is on disk.
Result<void> sync_folder_of(const std::filesystem::path& file);

/// Gives a file the mode of the one it will replace, if any, and its owner and group where permitted.
Result<void> take_after(int descriptor, const std::filesystem::path& replaced);

/// Reads up to `size` bytes; returns 0 at the end. `name` is for messages.
Result<std::size_t> read_some(int descriptor, char* data, std::size_t size, std::string_view name);

/// Writes all of `data`, or returns an error with the system's reason. `name` is for messages.
Result<void> write_all(int descriptor, std::string_view data, std::string_view name);

/// Writes to standard output through `descriptor`. Fails with Errc::closed_pipe if its reader has gone, so
/// that a front end can end as other programs in a pipeline do.
Result<void> write_standard_output(int descriptor, std::string_view data);

/// Whether both names refer to the same file, which need not exist yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Returns an error if `output` would replace `input`.
Result<void> check_output(const std::filesystem::path& output, const std::filesystem::path& input);

/// The entire contents of a small file.
Result<std::string> read_file(const std::filesystem::path& file);
Result<std::string> read_file(const FileDescriptor& file, std::string_view name);

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

/// Writes to a file that has no name until commit(), so a reader sees the whole file or none. The file is on
/// disk before it gets its name, and takes the mode of the file it replaces. If destroyed or killed before
/// commit(), it leaves nothing behind. On file systems without unnamed files, a killed run leaves a hidden
/// file, which the next run with the same target removes.
class AtomicFile {
 public:
  /// Replaces the target of a symbolic link, never the link itself: it might be /dev/stdout. A target that is
  /// not a regular file (a device, a named pipe) is written to directly. If the name says so (.gz, .zst, .xz,
  /// .bz2), what is written is compressed.
  static Result<AtomicFile> create(const std::filesystem::path& target);
  /// Replaces whatever has the name, links included. For names that no user chose.
  static Result<AtomicFile> create_own(const std::filesystem::path& target);
  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&& other) = delete;
  ~AtomicFile();

  int descriptor() const { return descriptor_.get(); }
  Result<void> write(std::string_view data);
  Result<void> commit();

 private:
  AtomicFile() = default;
  static Result<AtomicFile> create_plain(const std::filesystem::path& requested);
  static Result<AtomicFile> open_device(const std::filesystem::path& device);
  Result<void> open_hidden(mode_t mode);
  Result<void> give_name();
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty while the file has no name
  FileDescriptor descriptor_;
  bool is_device_ = false;
  std::unique_ptr<Compressor> compressor_;  // null: what is written stays as it is
  std::string compressed_;                  // not yet written
};

/// Returns an error if the name of a file that cannot be compressed, `what` it is, says that it is.
Result<void> check_uncompressed(std::string_view parameter, const std::filesystem::path& file,
                                std::string_view what);

}  // namespace sotto::base
