// Files that carry a hash of themselves. A fuzzer cannot guess the hash of its input, so the targets insert
// the right one to get at the checks behind it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/hash.hpp"
#include "base/safetensors.hpp"

namespace sotto::fuzz {

/// The file with its SHA-256 corrected; nullopt if it has no field for one.
inline std::optional<std::string> with_right_digest(std::string file) {
  // Copied into 8-byte words, because the parser requires that alignment.
  std::vector<std::uint64_t> words((file.size() + 7) / 8);
  std::copy(file.begin(), file.end(), reinterpret_cast<char*>(words.data()));
  const auto parsed = base::parse_safetensors(std::as_bytes(std::span(words)).first(file.size()), "file",
                                              base::Alignment::any);
  if (!parsed) return std::nullopt;
  const auto stored = parsed->metadata.find(std::string(base::kDigestKey));
  if (stored == parsed->metadata.end() || stored->second.size() != 64) return std::nullopt;
  const std::size_t place = file.find('"' + stored->second + '"');
  if (place == std::string::npos) return std::nullopt;
  file.replace(place + 1, 64, 64, '0');
  return file.replace(place + 1, 64, base::to_hex(base::sha256(file)));
}

}  // namespace sotto::fuzz
