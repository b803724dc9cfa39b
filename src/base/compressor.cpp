#include "base/compressor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace sotto::base {
namespace {

// Libraries may decide differently for input that comes in other pieces, so they get pieces of this size.
constexpr std::size_t kPiece = 1 << 17;

tl::unexpected<Error> cannot_compress() {
  return fail(Errc::limit, "not enough memory to compress");
}

using Room = std::array<char, 1 << 16>;

class GzipCompressor final : public Compressor {
 public:
  ~GzipCompressor() override {
    if (ready_) deflateEnd(&state_);
  }

  Result<void> open() {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kDefaultMemory = 8;
    ready_ = deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kDefaultMemory,
                          Z_DEFAULT_STRATEGY) == Z_OK;
    return ready_ ? Result<void>() : cannot_compress();
  }

 private:
  Result<void> compress(std::string_view block, bool last, std::string& out) override {
    // zlib does not write to its input; its interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    state_.avail_in = static_cast<uInt>(block.size());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(room_.data());
      state_.avail_out = static_cast<unsigned>(room_.size());
      deflate(&state_, last ? Z_FINISH : Z_NO_FLUSH);
      out.append(room_.data(), room_.size() - state_.avail_out);
    } while (state_.avail_out == 0);
    return {};
  }

  z_stream state_{};
  Room room_;
  bool ready_ = false;
};

class ZstdCompressor final : public Compressor {
 public:
  Result<void> open() {
    if (state_ == nullptr) return cannot_compress();
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);  // as the program does
    return {};
  }

 private:
  Result<void> compress(std::string_view block, bool last, std::string& out) override {
    ZSTD_inBuffer from{block.data(), block.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer to{room_.data(), room_.size(), 0};
      const std::size_t left =
          ZSTD_compressStream2(state_.get(), &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) return cannot_compress();
      out.append(room_.data(), to.pos);
      done = last ? left == 0 : from.pos == from.size;
    }
    return {};
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> state_{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  Room room_;
};

class XzCompressor final : public Compressor {
 public:
  ~XzCompressor() override { lzma_end(&state_); }

  Result<void> open() {
    return lzma_easy_encoder(&state_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK ? Result<void>()
                                                                                        : cannot_compress();
  }

 private:
  Result<void> compress(std::string_view block, bool last, std::string& out) override {
    state_.next_in = reinterpret_cast<const std::uint8_t*>(block.data());
    state_.avail_in = block.size();
    for (bool done = false; !done;) {
      state_.next_out = reinterpret_cast<std::uint8_t*>(room_.data());
      state_.avail_out = room_.size();
      const lzma_ret status = lzma_code(&state_, last ? LZMA_FINISH : LZMA_RUN);
      if (status != LZMA_OK && status != LZMA_STREAM_END) return cannot_compress();
      out.append(room_.data(), room_.size() - state_.avail_out);
      done = last ? status == LZMA_STREAM_END : state_.avail_in == 0;
    }
    return {};
  }

  lzma_stream state_ = LZMA_STREAM_INIT;
  Room room_;
};

class Bzip2Compressor final : public Compressor {
 public:
  ~Bzip2Compressor() override {
    if (ready_) BZ2_bzCompressEnd(&state_);
  }

  Result<void> open() {
    constexpr int kBestBlocks = 9;
    ready_ = BZ2_bzCompressInit(&state_, kBestBlocks, 0, 0) == BZ_OK;
    return ready_ ? Result<void>() : cannot_compress();
  }

 private:
  Result<void> compress(std::string_view block, bool last, std::string& out) override {
    state_.next_in = const_cast<char*>(block.data());  // not written to, as in zlib
    state_.avail_in = static_cast<unsigned>(block.size());
    for (bool done = !last && block.empty(); !done;) {
      state_.next_out = room_.data();
      state_.avail_out = static_cast<unsigned>(room_.size());
      const int status = BZ2_bzCompress(&state_, last ? BZ_FINISH : BZ_RUN);
      if (status < 0) return cannot_compress();
      out.append(room_.data(), room_.size() - state_.avail_out);
      done = last ? status == BZ_STREAM_END : state_.avail_in == 0;
    }
    return {};
  }

  bz_stream state_{};
  Room room_;
  bool ready_ = false;
};

template <class Kind>
Result<std::unique_ptr<Compressor>> make_compressor() {
  auto made = std::make_unique<Kind>();
  SOTTO_TRY(made->open());
  return made;
}

}  // namespace

Result<std::unique_ptr<Compressor>> Compressor::make(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return make_compressor<GzipCompressor>();
    case Compression::zstd:
      return make_compressor<ZstdCompressor>();
    case Compression::xz:
      return make_compressor<XzCompressor>();
    case Compression::bzip2:
      return make_compressor<Bzip2Compressor>();
    case Compression::none:
      break;
  }
  return fail(Errc::invalid_argument, "there is nothing to compress");
}

Result<void> Compressor::write(std::string_view data, std::string& out) {
  while (!data.empty()) {
    const std::size_t part = std::min(data.size(), kPiece - pending_.size());
    pending_.append(data.substr(0, part));
    data.remove_prefix(part);
    if (pending_.size() < kPiece) break;
    SOTTO_TRY(compress(pending_, false, out));
    pending_.clear();
  }
  return {};
}

Result<void> Compressor::finish(std::string& out) {
  SOTTO_TRY(compress(pending_, true, out));
  pending_.clear();
  return {};
}

}  // namespace sotto::base
