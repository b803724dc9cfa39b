#include "base/decompressor.hpp"

#include <algorithm>

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace sotto::base {
namespace {

// zlib and libbz2 count in 32 bits.
constexpr std::size_t kLargestStep = 1 << 30;

tl::unexpected<Error> damaged(std::string_view reason) {
  return fail(Errc::bad_format, reason);
}

tl::unexpected<Error> no_memory() {
  return fail(Errc::limit, "not enough memory to decompress");
}

class GzipDecompressor final : public Decompressor {
 public:
  ~GzipDecompressor() override {
    if (ready_) inflateEnd(&state_);
  }

  Result<void> open() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&state_, kGzipOnly) != Z_OK) return no_memory();
    ready_ = true;
    return {};
  }

  Result<Step> step(std::string_view in, bool, std::span<char> out) override {
    in = in.substr(0, kLargestStep);
    const std::size_t room = std::min(out.size(), kLargestStep);
    // zlib does not write to its input; its interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(room);
    if (!in.empty()) inside_ = true;
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_ = false;  // another member may follow
      inflateReset(&state_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return damaged(state_.msg == nullptr ? "unknown error" : state_.msg);
    }
    return Step{in.size() - state_.avail_in, room - state_.avail_out};
  }

  bool inside() const override { return inside_; }

 private:
  z_stream state_{};
  bool ready_ = false;
  bool inside_ = false;
};

class ZstdDecompressor final : public Decompressor {
 public:
  Result<void> open() { return state_ == nullptr ? no_memory() : Result<void>(); }

  Result<Step> step(std::string_view in, bool, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(state_.get(), &to, &from);
    if (ZSTD_isError(status) != 0) return damaged(ZSTD_getErrorName(status));
    if (from.pos > 0 || to.pos > 0) inside_ = status != 0;
    return Step{from.pos, to.pos};
  }

  bool inside() const override { return inside_; }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> state_{ZSTD_createDStream(), &ZSTD_freeDStream};
  bool inside_ = false;
};

std::string_view lzma_problem(lzma_ret status) {
  switch (status) {
    case LZMA_MEM_ERROR:
      return "not enough memory";
    case LZMA_MEMLIMIT_ERROR:
      return "it needs more than 1 GiB of memory";
    case LZMA_FORMAT_ERROR:
      return "not xz data";
    case LZMA_OPTIONS_ERROR:
      return "unsupported options";
    default:
      return "invalid data";
  }
}

class XzDecompressor final : public Decompressor {
 public:
  ~XzDecompressor() override { lzma_end(&state_); }

  Result<void> open() {
    constexpr std::uint64_t kMemory = 1ULL << 30;  // a hostile header may demand more than exists
    return lzma_stream_decoder(&state_, kMemory, LZMA_CONCATENATED) == LZMA_OK ? Result<void>() : no_memory();
  }

  Result<Step> step(std::string_view in, bool at_end, std::span<char> out) override {
    if (ended_) return Step{};
    state_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = out.size();
    const lzma_ret status = lzma_code(&state_, at_end ? LZMA_FINISH : LZMA_RUN);
    ended_ = status == LZMA_STREAM_END;
    if (!ended_ && status != LZMA_OK && status != LZMA_BUF_ERROR) return damaged(lzma_problem(status));
    return Step{in.size() - state_.avail_in, out.size() - state_.avail_out};
  }

  bool inside() const override { return !ended_; }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

class Bzip2Decompressor final : public Decompressor {
 public:
  ~Bzip2Decompressor() override { close(); }

  Result<void> open() {
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) return no_memory();
    ready_ = true;
    return {};
  }

  Result<Step> step(std::string_view in, bool, std::span<char> out) override {
    if (in.empty() && !inside_) return Step{};
    if (!ready_) SOTTO_TRY(open());
    in = in.substr(0, kLargestStep);
    const std::size_t room = std::min(out.size(), kLargestStep);
    state_.next_in = const_cast<char*>(in.data());  // not written to, as in zlib
    state_.avail_in = static_cast<unsigned>(in.size());
    state_.next_out = out.data();
    state_.avail_out = static_cast<unsigned>(room);
    inside_ = true;
    const int status = BZ2_bzDecompress(&state_);
    const Step done{in.size() - state_.avail_in, room - state_.avail_out};
    if (status == BZ_STREAM_END) {
      inside_ = false;  // another stream may follow
      close();
    } else if (status == BZ_MEM_ERROR) {
      return no_memory();
    } else if (status != BZ_OK) {
      return damaged(status == BZ_DATA_ERROR_MAGIC ? "not bzip2 data" : "invalid data");
    }
    return done;
  }

  bool inside() const override { return inside_; }

 private:
  void close() {
    if (ready_) BZ2_bzDecompressEnd(&state_);
    state_ = {};
    ready_ = false;
  }

  bz_stream state_{};
  bool ready_ = false;
  bool inside_ = false;
};

template <class Kind>
Result<std::unique_ptr<Decompressor>> make_decompressor() {
  auto made = std::make_unique<Kind>();
  SOTTO_TRY(made->open());
  return made;
}

}  // namespace

Result<std::unique_ptr<Decompressor>> Decompressor::make(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return make_decompressor<GzipDecompressor>();
    case Compression::zstd:
      return make_decompressor<ZstdDecompressor>();
    case Compression::xz:
      return make_decompressor<XzDecompressor>();
    case Compression::bzip2:
      return make_decompressor<Bzip2Decompressor>();
    case Compression::none:
      break;
  }
  return fail(Errc::invalid_argument, "there is nothing to decompress");
}

}  // namespace sotto::base
