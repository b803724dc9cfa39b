// Files with secrets, and files that are replaced as a whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::server {

/// Refuses a file that everybody may read or that others than its owner may change.
Result<void> check_private_file(const std::filesystem::path& file);

/// The content of a small file. Refuses one that everybody may read or that others than its owner may change.
Result<std::string> read_private_file(const std::filesystem::path& file);

/// Creates a file that only its owner may read. Fails if it exists.
Result<void> create_private_file(const std::filesystem::path& file, std::string_view content);

/// Gives `file` new content, or creates it for its owner only. Readers see the old content or the new.
Result<void> replace_private_file(const std::filesystem::path& file, std::string_view content);

/// Held by one process at a time, until it is destroyed.
class FileLock {
 public:
  static Result<FileLock> take(const std::filesystem::path& file);
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace sotto::server
