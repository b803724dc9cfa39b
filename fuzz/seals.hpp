// Files that carry a hash of themselves. A fuzzer cannot find the hash of what it made up, so the targets put
// in the right one: behind it the content is looked at.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/hash.hpp"
#include "base/safetensors.hpp"

namespace sotto::fuzz {

/// The file with its right SHA-256; nothing when it has no place for one.
inline std::optional<std::string> with_right_digest(std::string file) {
  // Kept in words of 8 bytes, because the parser wants that alignment.
  std::vector<std::uint64_t> words((file.size() + 7) / 8);
  std::copy(file.begin(), file.end(), reinterpret_cast<char*>(words.data()));
  const auto parsed =
      parse_safetensors(std::as_bytes(std::span(words)).first(file.size()), "file", Alignment::any);
  if (!parsed) return std::nullopt;
  const auto stored = parsed->metadata.find(std::string(kDigestKey));
  if (stored == parsed->metadata.end() || stored->second.size() != 64) return std::nullopt;
  const std::size_t place = file.find('"' + stored->second + '"');
  if (place == std::string::npos) return std::nullopt;
  file.replace(place + 1, 64, 64, '0');
  return file.replace(place + 1, 64, to_hex(sha256(file)));
}

}  // namespace sotto::fuzz
