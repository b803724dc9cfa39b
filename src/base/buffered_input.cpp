#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/compressed_input.hpp"

namespace sotto::base {
namespace {

constexpr std::size_t kWindow = 1 << 20;

}  // namespace

Result<BufferedInput> BufferedInput::open(const std::filesystem::path& file, const InputOptions& options) {
  BufferedInput input;
  SOTTO_ASSIGN(input.stream_, InputStream::open(file, options));
  input.name_ = file.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  input.file_size_ = error ? 0 : size;
  input.buffer_.resize(kWindow);
  return input;
}

Result<BufferedInput> BufferedInput::open_standard_input(const InputOptions& options) {
  BufferedInput input;
  input.name_ = "standard input";
  FileDescriptor copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) return fail(Errc::io, "cannot read standard input: it is closed");
  SOTTO_ASSIGN(input.stream_, InputStream::open(std::move(copy), input.name_, options));
  input.buffer_.resize(kWindow);
  return input;
}

std::uint64_t BufferedInput::file_position() const {
  return stream_->file_position();
}

Result<void> BufferedInput::fill(std::size_t size) {
  if (end_ - begin_ >= size) return {};
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < size) buffer_.resize(size);
  while (end_ < size && !ended_) {
    SOTTO_ASSIGN(const std::size_t got, stream_->read(buffer_.data() + end_, buffer_.size() - end_));
    end_ += got;
    ended_ = got == 0;
  }
  return {};
}

void BufferedInput::consume(std::size_t size) {
  begin_ += size;
  offset_ += size;
}

Result<bool> BufferedInput::next_line(std::string_view& line, std::size_t limit) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = window().find('\n', searched);
    if (end != std::string_view::npos) {
      line = window().substr(0, end);
      consume(end + 1);
      break;
    }
    searched = window().size();
    if (searched > limit) return fail(Errc::limit, fmt::format("a line is longer than {} bytes", limit));
    SOTTO_TRY(fill(searched + 1));
    if (window().size() == searched) {
      if (searched == 0) return false;
      line = window();
      consume(searched);
      break;
    }
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Result<bool> BufferedInput::read_exactly(char* data, std::size_t size) {
  while (size > 0) {
    SOTTO_TRY(fill(1));
    if (window().empty()) return false;
    const std::size_t count = std::min(size, window().size());
    std::memcpy(data, window().data(), count);
    consume(count);
    data += count;
    size -= count;
  }
  return true;
}

}  // namespace sotto::base
