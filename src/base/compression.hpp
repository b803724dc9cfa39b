// How a file is compressed, told from its name and from its first bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace sotto::base {

enum class Compression { none, gzip, zstd, xz, bzip2 };

/// "gzip", "zstd", "xz" or "bzip2"; "no compression" for none.
std::string_view to_string(Compression compression);

/// What the extension says, in any case: .gz, .zst, .xz or .bz2.
Compression compression_by_name(const std::filesystem::path& file);

/// What the first bytes say. kLongestMagic bytes always suffice.
Compression compression_by_content(std::string_view start);
inline constexpr std::size_t kLongestMagic = 10;

/// Whether more bytes could still turn `start` into the beginning of a compressed file.
bool may_become_compressed(std::string_view start);

/// The name without an extension that tells how the file is compressed: "a.jsonl" for "a.jsonl.xz".
std::filesystem::path without_compression(std::filesystem::path file);

}  // namespace sotto::base
