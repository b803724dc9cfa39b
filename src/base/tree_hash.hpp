// The digest that identifies the files an output depends on; certificates, receipts and stream keys quote it.
// It is computed from the bytes actually used, never read from the file it vouches for. It is a tree so that
// several threads can share a large file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::base {

inline constexpr std::size_t kTreeLeafBytes = std::size_t{1} << 20;

/// BLAKE2b-256, personalized with "sotto-tree-root", of the length of `bytes` (64 bits, little-endian) and
/// the digests of its leaves in order. A leaf is 1 MiB, the last one whatever remains; its digest is
/// BLAKE2b-256, personalized with "sotto-tree-leaf". No bytes means no leaves. In lower-case hexadecimal,
/// independent of the number of threads (0: one per processor).
std::string tree_hash(std::span<const std::byte> bytes, unsigned threads = 0);
std::string tree_hash(std::string_view bytes, unsigned threads = 0);

/// The same for a whole file. A caller that goes on to use the content maps the file once and hashes the
/// mapping instead: opening it again by name may yield a different file.
Result<std::string> tree_hash_file(const std::filesystem::path& file, unsigned threads = 0);

}  // namespace sotto::base
