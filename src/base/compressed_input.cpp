#include "base/compressed_input.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decompressor.hpp"

namespace sotto::base {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInputBlock = 1 << 18;
constexpr int kWaitMilliseconds = 100;

// The raw bytes of the file, in blocks.
class FileBytes {
 public:
  FileBytes(FileDescriptor descriptor, std::string name, std::function<bool()> go_on)
      : descriptor_(std::move(descriptor)),
        name_(std::move(name)),
        go_on_(std::move(go_on)),
        block_(kInputBlock) {}

  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_.get(); }
  std::uint64_t position() const { return position_; }
  std::string_view rest() const { return {block_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }

  /// Reads more once everything is consumed; returns false at the end.
  Result<bool> refill() {
    if (begin_ < end_) return true;
    SOTTO_ASSIGN(end_, read(block_.data(), block_.size()));
    begin_ = 0;
    return end_ > 0;
  }

  /// Appends to the rest, which must be less than a block; returns false at the end.
  Result<bool> read_more() {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    SOTTO_ASSIGN(const std::size_t got, read(block_.data() + end_, block_.size() - end_));
    end_ += got;
    return got > 0;
  }

  /// Reads past the block, which must be consumed.
  Result<std::size_t> read(char* data, std::size_t size) {
    SOTTO_TRY(wait());
    SOTTO_ASSIGN(const std::size_t got, read_some(descriptor_.get(), data, size, name_));
    position_ += got;
    return got;
  }

  /// Continues at `position` of the file; false if it cannot.
  bool seek(std::uint64_t position) {
    if (::lseek(descriptor_.get(), static_cast<off_t>(position), SEEK_SET) < 0) return false;
    begin_ = end_ = 0;
    position_ = position;
    return true;
  }

 private:
  Result<void> wait() const {
    while (go_on_) {
      pollfd input{descriptor_.get(), POLLIN, 0};
      const int ready = ::poll(&input, 1, kWaitMilliseconds);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return {};
      if (!go_on_()) return fail(Errc::interrupted, "interrupted");
    }
    return {};
  }

  FileDescriptor descriptor_;
  std::string name_;
  std::function<bool()> go_on_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
};

tl::unexpected<Error> bad_content(std::string_view name, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", name, what));
}

class PlainStream final : public InputStream {
 public:
  explicit PlainStream(FileBytes file) : file_(std::move(file)) {}

  Result<std::size_t> read(char* data, std::size_t size) override {
    if (file_.rest().empty()) return file_.read(data, size);
    const std::size_t count = std::min(size, file_.rest().size());
    std::memcpy(data, file_.rest().data(), count);
    file_.consume(count);
    return count;
  }
  std::uint64_t file_position() const override { return file_.position(); }
  bool is_plain() const override { return true; }

  Result<bool> skip(std::uint64_t size) override {
    struct stat status {};
    if (::fstat(file_.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return InputStream::skip(size);
    const std::uint64_t left = static_cast<std::uint64_t>(status.st_size) - here();
    return size <= left && file_.seek(here() + size);
  }

 private:
  std::uint64_t here() const { return file_.position() - file_.rest().size(); }

  FileBytes file_;
};

class DecompressingStream final : public InputStream {
 public:
  DecompressingStream(FileBytes file, Compression compression, std::unique_ptr<Decompressor> decompressor)
      : file_(std::move(file)), compression_(compression), decompressor_(std::move(decompressor)) {}

  Result<std::size_t> read(char* data, std::size_t size) override {
    std::size_t count = 0;
    while (count < size && !ended_) {
      // What is there already need not wait for more to arrive.
      if (count > 0 && file_.rest().empty()) break;
      SOTTO_ASSIGN(const bool more, file_.refill());
      const std::string_view in = file_.rest();
      auto step = decompressor_->step(in, !more, {data + count, size - count});
      if (!step) return damaged(step.error());
      file_.consume(step->consumed);
      count += step->produced;
      ended_ = !more && step->produced == 0;
      if (more && step->consumed + step->produced == 0)
        return damaged({Errc::bad_format, "", "", "invalid data", {}});
      if (ended_ && decompressor_->inside())
        return bad_content(file_.name(), fmt::format("the {} data ends too early, after {} bytes",
                                                     to_string(compression_), file_.position()));
    }
    return count;
  }
  std::uint64_t file_position() const override { return file_.position(); }

 private:
  tl::unexpected<Error> damaged(const Error& error) const {
    return bad_content(file_.name(), fmt::format("damaged {} data near byte {} ({})", to_string(compression_),
                                                 file_.position() - file_.rest().size(), error.message));
  }

  FileBytes file_;
  Compression compression_;
  std::unique_ptr<Decompressor> decompressor_;
  bool ended_ = false;
};

// Turns another encoding into UTF-8.
class TranscodingStream final : public InputStream {
 public:
  TranscodingStream(std::unique_ptr<InputStream> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)), block_(kInputBlock) {}

  Result<void> start(const TextEncoding& encoding) {
    constexpr std::size_t kLongestMark = 4;
    while (encoding.needs_mark() && end_ < kLongestMark && !ended_) SOTTO_TRY(read_more());
    auto ordered = encoding.in_order_of(rest());
    if (!ordered) return bad_content(name_, ordered.error().message);
    encoding_ = *ordered;
    SOTTO_ASSIGN(Transcoder made, Transcoder::make(encoding_, TextEncoding()));
    transcoder_.emplace(std::move(made));
    return {};
  }

  Result<std::size_t> read(char* data, std::size_t size) override {
    // A character takes up to four bytes, and a reader with less room than that gets them one by one.
    if (size < sizeof spare_) return read_from_spare(data, size);
    if (spare_begin_ < spare_end_) return read_from_spare(data, size);
    for (;;) {
      const Transcoder::Step step = transcoder_->convert(rest(), {data, size});
      begin_ += step.consumed;
      offset_ += step.consumed;
      if (step.produced > 0) return step.produced;
      if (step.invalid) return invalid("is not");
      if (ended_ && begin_ < end_) return invalid("ends inside a character of");
      if (ended_) return transcoder_->finish({data, size});
      SOTTO_TRY(read_more());
    }
  }

  std::uint64_t file_position() const override { return source_->file_position(); }
  TextEncoding encoding() const override { return encoding_; }

 private:
  std::string_view rest() const { return {block_.data() + begin_, end_ - begin_}; }

  Result<void> read_more() {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    SOTTO_ASSIGN(const std::size_t got, source_->read(block_.data() + end_, block_.size() - end_));
    end_ += got;
    ended_ = got == 0;
    return {};
  }

  Result<std::size_t> read_from_spare(char* data, std::size_t size) {
    if (spare_begin_ == spare_end_) {
      spare_begin_ = spare_end_ = 0;
      SOTTO_ASSIGN(spare_end_, read(spare_.data(), spare_.size()));
    }
    const std::size_t count = std::min(size, spare_end_ - spare_begin_);
    std::memcpy(data, spare_.data() + spare_begin_, count);
    spare_begin_ += count;
    return count;
  }

  tl::unexpected<Error> invalid(std::string_view what) const {
    return bad_content(name_, fmt::format("the content {} {} at byte {}", what, encoding_.name(), offset_));
  }

  std::unique_ptr<InputStream> source_;
  std::string name_;
  TextEncoding encoding_;
  std::optional<Transcoder> transcoder_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_ in the source
  std::array<char, 64> spare_{};
  std::size_t spare_begin_ = 0;
  std::size_t spare_end_ = 0;
  bool ended_ = false;
};

struct ForeignFile {
  std::string_view magic;
  std::string_view name;
};
constexpr std::array<ForeignFile, 5> kForeignFiles = {
    {{"PK\x03\x04"sv, "a zip archive or an office document; unpack it, or export it as CSV"},
     {"7z\xBC\xAF"sv, "a 7z archive; unpack it first"},
     {"PAR1\x15"sv, "a Parquet file; convert it to JSON lines first"},
     {"ARROW1\0\0"sv, "an Arrow file; convert it to JSON lines first"},
     {"SQLite format 3\0"sv, "a database; export its table first"}}};

Result<std::unique_ptr<InputStream>> open_decompressed(FileBytes bytes, Compression promised) {
  SOTTO_TRY(bytes.refill());
  for (bool more = true; more && may_become_compressed(bytes.rest());) {
    SOTTO_ASSIGN(more, bytes.read_more());
  }
  const std::string_view start = bytes.rest();
  for (const ForeignFile& foreign : kForeignFiles)
    if (start.starts_with(foreign.magic))
      return bad_content(bytes.name(), fmt::format("is {}", foreign.name));
  const Compression compression = compression_by_content(start);
  if (compression != Compression::none) {
    SOTTO_ASSIGN(auto decompressor, Decompressor::make(compression));
    return std::make_unique<DecompressingStream>(std::move(bytes), compression, std::move(decompressor));
  }
  if (promised != Compression::none)
    return bad_content(bytes.name(),
                       fmt::format("{}, though its name says {}; it is damaged or misnamed",
                                   start.empty() ? "empty" : "not compressed", to_string(promised)));
  return std::make_unique<PlainStream>(std::move(bytes));
}

Result<std::unique_ptr<InputStream>> open_stream(FileDescriptor descriptor, const std::string& name,
                                                 Compression promised, const InputOptions& options) {
  SOTTO_ASSIGN(auto stream,
               open_decompressed(FileBytes(std::move(descriptor), name, options.go_on), promised));
  if (options.encoding.is_utf8()) return stream;
  auto transcoding = std::make_unique<TranscodingStream>(std::move(stream), name);
  SOTTO_TRY(transcoding->start(options.encoding));
  return transcoding;
}

}  // namespace

Result<bool> InputStream::skip(std::uint64_t size) {
  std::vector<char> skipped(kInputBlock);
  while (size > 0) {
    SOTTO_ASSIGN(const std::size_t got, read(skipped.data(), std::min<std::uint64_t>(size, skipped.size())));
    if (got == 0) return false;
    size -= got;
  }
  return true;
}

Result<std::unique_ptr<InputStream>> InputStream::open(const std::filesystem::path& file,
                                                       const InputOptions& options) {
  SOTTO_ASSIGN(FileDescriptor descriptor, open_for_reading(file));
  return open_stream(std::move(descriptor), file.string(), compression_by_name(file), options);
}

Result<std::unique_ptr<InputStream>> InputStream::open(FileDescriptor descriptor, std::string name,
                                                       const InputOptions& options) {
  return open_stream(std::move(descriptor), name, Compression::none, options);
}

Result<std::string> read_content(const std::filesystem::path& file, const InputOptions& options) {
  SOTTO_ASSIGN(const auto stream, InputStream::open(file, options));
  std::string content;
  for (std::size_t size = 0;;) {
    content.resize(size + kInputBlock);
    SOTTO_ASSIGN(const std::size_t got, stream->read(content.data() + size, kInputBlock));
    size += got;
    content.resize(size);
    if (got == 0) return content;
  }
}

}  // namespace sotto::base
