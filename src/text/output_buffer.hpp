// A growing byte buffer for output that is written in many small pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace sotto::text {

/// Bytes that fast copies may access beyond the end of what they copy.
inline constexpr std::size_t kTextPadding = 32;

/// Copies `size` bytes in whole blocks of kTextPadding: one unconditional block copy for an ordinary word.
/// May read and write kTextPadding bytes past the ends; the ranges must not overlap.
inline void copy_padded(char* to, const char* from, std::size_t size) {
  std::memcpy(to, from, kTextPadding);
  for (std::size_t done = kTextPadding; done < size; done += kTextPadding)
    std::memcpy(to + done, from + done, kTextPadding);
}

/// Owns its bytes and never initialises unwritten ones. Once anything is allocated, kTextPadding bytes after
/// the content always are, so they may be read (with meaningless values) and overwritten by block copies. Any
/// call that grows the buffer invalidates pointers and views into it. Not thread-safe. Throws std::bad_alloc
/// if out of memory.
class OutputBuffer {
 public:
  OutputBuffer() = default;
  OutputBuffer(OutputBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  OutputBuffer& operator=(OutputBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// The end of the content, with room for `count` bytes plus kTextPadding.
  char* reserve(std::size_t count) {
    if (capacity_ - size_ < count + kTextPadding) grow(count + kTextPadding);
    return data_.get() + size_;
  }

  /// Adds `count` bytes written at reserve()'s pointer to the content.
  void advance(std::size_t count) { size_ += count; }

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(reserve(text.size()), text.data(), text.size());
    advance(text.size());
  }

  void push_back(char byte) {
    *reserve(1) = byte;
    advance(1);
  }

  /// Empties the buffer but keeps its memory.
  void clear() { size_ = 0; }

  /// Keeps the first `size` bytes; `size` must be at most size().
  void truncate(std::size_t size) { size_ = size; }

  /// Removes the first `count` bytes; `count` must be at most size().
  void remove_prefix(std::size_t count) {
    if (count == 0) return;
    size_ -= count;
    std::memmove(data_.get(), data_.get() + count, size_);
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max({size_ + count, 2 * capacity_, std::size_t{4096}});
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace sotto::text
