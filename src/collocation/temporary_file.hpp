// Unnamed temporary files: however the process ends, nothing of them remains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::collocation {

/// Append-only; several threads may read from anywhere at a time.
class TemporaryFile {
 public:
  static Result<TemporaryFile> create(const std::filesystem::path& folder);

  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_.get(); }
  /// Sets the size and reserves the disk space, so that a later write to a mapping cannot run out of it.
  Result<void> allocate(std::uint64_t size);
  Result<void> append(std::string_view data);
  /// Reads up to `size` bytes starting at `offset`; returns 0 at the end.
  Result<std::size_t> read(char* data, std::size_t size, std::uint64_t offset) const;

 private:
  base::FileDescriptor descriptor_;
  std::string name_;  // for messages
  std::uint64_t size_ = 0;
};

/// Numbers in a temporary file, as memory that the system can page out under memory pressure.
template <class T>
class TemporaryArray {
 public:
  static Result<TemporaryArray> create(const std::filesystem::path& folder, std::uint64_t count) {
    TemporaryArray array;
    SOTTO_ASSIGN(array.bytes_, map(folder, count * sizeof(T)));
    return array;
  }
  TemporaryArray() = default;
  TemporaryArray(TemporaryArray&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  TemporaryArray& operator=(TemporaryArray&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~TemporaryArray() { unmap(bytes_); }

  std::span<T> elements() const { return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)}; }

 private:
  static Result<std::span<char>> map(const std::filesystem::path& folder, std::uint64_t size);
  static void unmap(std::span<char> bytes);
  std::span<char> bytes_;
};

}  // namespace sotto::collocation
