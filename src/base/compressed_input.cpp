#include "base/compressed_input.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

namespace sotto::base {
namespace {

constexpr std::size_t kBlock = 1 << 18;

// The raw bytes of the file, in blocks.
class FileBytes {
 public:
  FileBytes(FileDescriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)), block_(kBlock) {}

  const std::string& name() const { return name_; }
  std::uint64_t position() const { return position_; }
  std::string_view rest() const { return {block_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }

  /// Reads more once everything is consumed; returns false at the end.
  Result<bool> refill() {
    if (begin_ < end_) return true;
    SOTTO_ASSIGN(end_, read_some(descriptor_.get(), block_.data(), block_.size(), name_));
    begin_ = 0;
    position_ += end_;
    return end_ > 0;
  }

 private:
  FileDescriptor descriptor_;
  std::string name_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
};

tl::unexpected<Error> bad_archive(const FileBytes& file, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", file.name(), what));
}

class PlainStream final : public InputStream {
 public:
  explicit PlainStream(FileBytes file) : file_(std::move(file)) {}

  Result<std::size_t> read(char* data, std::size_t size) override {
    SOTTO_ASSIGN(const bool more, file_.refill());
    if (!more) return 0;
    const std::size_t count = std::min(size, file_.rest().size());
    std::memcpy(data, file_.rest().data(), count);
    file_.consume(count);
    return count;
  }
  std::uint64_t file_position() const override { return file_.position(); }

 private:
  FileBytes file_;
};

class GzipStream final : public InputStream {
 public:
  explicit GzipStream(FileBytes file) : file_(std::move(file)) {}
  ~GzipStream() override {
    if (ready_) inflateEnd(&state_);
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  Result<std::size_t> read(char* data, std::size_t size) override {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (!ready_) {
      if (inflateInit2(&state_, kGzipOnly) != Z_OK) return fail(Errc::limit, "not enough memory for gzip");
      ready_ = true;
    }
    state_.next_out = reinterpret_cast<Bytef*>(data);
    state_.avail_out = static_cast<uInt>(size);
    while (state_.avail_out == size) {
      SOTTO_ASSIGN(const bool more, file_.refill());
      if (!more) {
        if (inside_member_) return bad_archive(file_, "the gzip data ends too early");
        return 0;
      }
      SOTTO_TRY(inflate_block());
    }
    return size - state_.avail_out;
  }
  std::uint64_t file_position() const override { return file_.position(); }

 private:
  Result<void> inflate_block() {
    inside_member_ = true;
    const std::string_view rest = file_.rest();
    // zlib does not write to its input; its interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    state_.avail_in = static_cast<uInt>(rest.size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    file_.consume(rest.size() - state_.avail_in);
    if (status == Z_STREAM_END) {
      inside_member_ = false;  // another member may follow
      inflateReset(&state_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return bad_archive(
          file_, fmt::format("damaged gzip data ({})", state_.msg == nullptr ? "unknown error" : state_.msg));
    }
    return {};
  }

  FileBytes file_;
  z_stream state_{};
  bool ready_ = false;
  bool inside_member_ = false;
};

class ZstdStream final : public InputStream {
 public:
  explicit ZstdStream(FileBytes file)
      : file_(std::move(file)), state_(ZSTD_createDStream(), &ZSTD_freeDStream) {}

  Result<std::size_t> read(char* data, std::size_t size) override {
    if (state_ == nullptr) return fail(Errc::limit, "not enough memory for zstd");
    ZSTD_outBuffer out{data, size, 0};
    while (out.pos == 0) {
      SOTTO_ASSIGN(const bool more, file_.refill());
      // Even without new input, the decoder may hold pending output.
      const std::string_view rest = file_.rest();
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      const std::size_t status = ZSTD_decompressStream(state_.get(), &out, &in);
      if (ZSTD_isError(status) != 0)
        return bad_archive(file_, fmt::format("damaged zstd data ({})", ZSTD_getErrorName(status)));
      file_.consume(in.pos);
      if (more || in.pos > 0) {
        inside_frame_ = status != 0;
      } else if (out.pos == 0) {
        if (inside_frame_) return bad_archive(file_, "the zstd data ends too early");
        return 0;
      }
    }
    return out.pos;
  }
  std::uint64_t file_position() const override { return file_.position(); }

 private:
  FileBytes file_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> state_;
  bool inside_frame_ = false;
};

class XzStream final : public InputStream {
 public:
  explicit XzStream(FileBytes file) : file_(std::move(file)) {}
  ~XzStream() override { lzma_end(&state_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  Result<std::size_t> read(char* data, std::size_t size) override {
    if (!ready_) {
      constexpr std::uint64_t kMemory = 1ULL << 30;  // a hostile header may demand more than exists
      if (lzma_stream_decoder(&state_, kMemory, LZMA_CONCATENATED) != LZMA_OK)
        return fail(Errc::limit, "not enough memory for xz");
      ready_ = true;
    }
    state_.next_out = reinterpret_cast<std::uint8_t*>(data);
    state_.avail_out = size;
    while (state_.avail_out == size && !ended_) SOTTO_TRY(decode_block());
    return size - state_.avail_out;
  }
  std::uint64_t file_position() const override { return file_.position(); }

 private:
  Result<void> decode_block() {
    SOTTO_ASSIGN(const bool more, file_.refill());
    const std::string_view rest = file_.rest();
    state_.next_in = reinterpret_cast<const std::uint8_t*>(rest.data());
    state_.avail_in = rest.size();
    const lzma_ret status = lzma_code(&state_, more ? LZMA_RUN : LZMA_FINISH);
    file_.consume(rest.size() - state_.avail_in);
    ended_ = status == LZMA_STREAM_END;
    if (ended_ || status == LZMA_OK) return {};
    if (status == LZMA_BUF_ERROR) return bad_archive(file_, "the xz data ends too early");
    return bad_archive(file_,
                       fmt::format("damaged xz data (error {} of the decoder)", static_cast<int>(status)));
  }

  FileBytes file_;
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ready_ = false;
  bool ended_ = false;
};

struct ForeignArchive {
  std::string_view magic;
  std::string_view name;
};
constexpr std::array<ForeignArchive, 3> kForeignArchives = {
    {{"PK\x03\x04", "a zip archive"}, {"BZh", "bzip2-compressed"}, {"7z\xBC\xAF", "a 7z archive"}}};

}  // namespace

Result<std::unique_ptr<InputStream>> InputStream::open(const std::filesystem::path& file) {
  SOTTO_ASSIGN(FileDescriptor descriptor, open_for_reading(file));
  return open(std::move(descriptor), file.string());
}

Result<std::unique_ptr<InputStream>> InputStream::open(FileDescriptor descriptor, std::string name) {
  FileBytes bytes(std::move(descriptor), std::move(name));
  SOTTO_TRY(bytes.refill());
  const std::string_view start = bytes.rest();
  for (const ForeignArchive& archive : kForeignArchives) {
    if (start.starts_with(archive.magic))
      return bad_archive(bytes, fmt::format("is {}; unpack it first (gzip, zstd and xz are read as they are)",
                                            archive.name));
  }
  if (start.starts_with("\x1F\x8B")) return std::make_unique<GzipStream>(std::move(bytes));
  if (start.starts_with("\x28\xB5\x2F\xFD")) return std::make_unique<ZstdStream>(std::move(bytes));
  if (start.starts_with(std::string_view("\xFD"
                                         "7zXZ",
                                         5)))
    return std::make_unique<XzStream>(std::move(bytes));
  return std::make_unique<PlainStream>(std::move(bytes));
}

std::filesystem::path without_compression(std::filesystem::path file) {
  const std::filesystem::path extension = file.extension();
  return extension == ".gz" || extension == ".zst" || extension == ".xz" ? file.replace_extension() : file;
}

Result<BufferedInput> BufferedInput::open(const std::filesystem::path& file) {
  BufferedInput input;
  SOTTO_ASSIGN(input.stream_, InputStream::open(file));
  input.name_ = file.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  input.file_size_ = error ? 0 : size;
  input.buffer_.resize(4 * kBlock);
  return input;
}

Result<BufferedInput> BufferedInput::open_standard_input() {
  BufferedInput input;
  input.name_ = "standard input";
  FileDescriptor copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) return fail(Errc::io, "cannot read standard input: it is closed");
  SOTTO_ASSIGN(input.stream_, InputStream::open(std::move(copy), input.name_));
  input.buffer_.resize(4 * kBlock);
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
