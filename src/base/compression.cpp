#include "base/compression.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sotto::base {
namespace {

using namespace std::string_view_literals;

struct NamedCompression {
  Compression compression;
  std::string_view name;
  std::string_view extension;
};
constexpr std::array<NamedCompression, 4> kCompressions = {{{Compression::gzip, "gzip", ".gz"},
                                                            {Compression::zstd, "zstd", ".zst"},
                                                            {Compression::xz, "xz", ".xz"},
                                                            {Compression::bzip2, "bzip2", ".bz2"}}};

// A '?' stands for any byte: the level of bzip2, and the number of a zstd frame that decoders skip, with
// which parallel compressors begin. Words may start with "BZh", so bzip2 needs its first block (π) or its end
// (√π).
struct Magic {
  Compression compression;
  std::string_view pattern;
};
constexpr std::array<Magic, 6> kMagics = {{{Compression::gzip, "\x1F\x8B\x08"sv},
                                           {Compression::zstd, "\x28\xB5\x2F\xFD"sv},
                                           {Compression::zstd, "?\x2A\x4D\x18"sv},
                                           {Compression::xz, "\xFD\x37zXZ\0"sv},
                                           {Compression::bzip2, "BZh?\x31\x41\x59\x26\x53\x59"sv},
                                           {Compression::bzip2, "BZh?\x17\x72\x45\x38\x50\x90"sv}}};

bool fits(char byte, const Magic& magic, std::size_t place) {
  if (magic.pattern[place] != '?') return byte == magic.pattern[place];
  if (magic.compression == Compression::bzip2) return byte >= '1' && byte <= '9';
  return (static_cast<unsigned char>(byte) & 0xF0) == 0x50;
}

/// Whether `start` and the magic agree as far as both go.
bool agrees(std::string_view start, const Magic& magic) {
  for (std::size_t i = 0; i < std::min(start.size(), magic.pattern.size()); ++i)
    if (!fits(start[i], magic, i)) return false;
  return true;
}

}  // namespace

std::string_view to_string(Compression compression) {
  for (const NamedCompression& known : kCompressions)
    if (known.compression == compression) return known.name;
  return "no compression";
}

Compression compression_by_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const NamedCompression& known : kCompressions)
    if (known.extension == extension) return known.compression;
  return Compression::none;
}

Compression compression_by_content(std::string_view start) {
  for (const Magic& magic : kMagics)
    if (start.size() >= magic.pattern.size() && agrees(start, magic)) return magic.compression;
  return Compression::none;
}

bool may_become_compressed(std::string_view start) {
  return std::any_of(kMagics.begin(), kMagics.end(), [&](const Magic& magic) {
    return start.size() < magic.pattern.size() && agrees(start, magic);
  });
}

std::filesystem::path without_compression(std::filesystem::path file) {
  return compression_by_name(file) == Compression::none ? file : file.replace_extension();
}

}  // namespace sotto::base
