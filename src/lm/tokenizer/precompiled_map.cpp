#include "lm/tokenizer/precompiled_map.hpp"

#include <cstddef>

#include <fmt/format.h>
#include <sodium.h>
#include <utf8proc.h>

#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

constexpr std::size_t kShortCluster = 6;

std::uint32_t load32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

// The units of Darts-clone: offset of the children, whether there is a value, and the byte that leads here.
std::uint32_t unit_offset(std::uint32_t unit) {
  return unit >> 10 << ((unit & 1U << 9) >> 6);
}
bool unit_has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
std::uint32_t unit_label(std::uint32_t unit) {
  return unit & (1U << 31 | 0xFF);
}
std::uint32_t unit_value(std::uint32_t unit) {
  return unit & ~(1U << 31);
}

Result<std::string> decode_base64(std::string_view text, std::string_view field) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  const int failed =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL);
  if (failed != 0 || end != text.data() + text.size())
    return fail(Errc::bad_format, fmt::format("{} is not valid base64", field));
  bytes.resize(size);
  return bytes;
}

}  // namespace

Result<PrecompiledMap> PrecompiledMap::parse(std::string_view base64, std::string_view field) {
  SOTTO_ASSIGN(const std::string bytes, decode_base64(base64, field));
  PrecompiledMap map;
  if (bytes.empty()) return map;
  const std::size_t size = bytes.size() < 4 ? 0 : load32(bytes, 0);
  if (size < 4 || size % 4 != 0 || size > bytes.size() - 4)
    return fail(Errc::bad_format, fmt::format("{}: a table of {} bytes cannot hold {} bytes of trie", field,
                                              bytes.size(), size));
  for (std::size_t at = 4; at < 4 + size; at += 4) map.units_.push_back(load32(bytes, at));
  map.replacements_ = bytes.substr(4 + size);
  if (!map.replacements_.empty() && map.replacements_.back() != '\0') map.replacements_.push_back('\0');
  return map;
}

std::optional<std::string_view> PrecompiledMap::replacement(std::string_view text) const {
  if (units_.empty()) return std::nullopt;
  std::size_t node = unit_offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    // A corrupt table can lead anywhere; outside of it nothing is found.
    if (byte == 0 || node >= units_.size() || unit_label(units_[node]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= unit_offset(unit);
    if (!unit_has_leaf(unit)) continue;
    if (node >= units_.size()) return std::nullopt;
    const std::uint32_t at = unit_value(units_[node]);
    if (at >= replacements_.size()) return std::nullopt;
    return std::string_view(replacements_.data() + at);
  }
  return std::nullopt;
}

void PrecompiledMap::add_cluster(std::string_view text, std::size_t begin, std::size_t end,
                                 NormalizedText& out) const {
  const std::string_view cluster = text.substr(begin, end - begin);
  if (cluster.size() < kShortCluster) {
    if (const auto whole = replacement(cluster)) return out.append(*whole, begin, end);
  }
  for (std::size_t i = begin; i < end;) {
    const std::uint32_t size = text::decode_utf8(text, i).size;
    const std::string_view part = text.substr(i, size);
    out.append(replacement(part).value_or(part), i, i + size);
    i += size;
  }
}

void PrecompiledMap::apply(std::string_view text, bool track, NormalizedText& out) const {
  out.start(track);
  std::size_t begin = 0;
  utf8proc_int32_t state = 0;
  for (std::size_t i = 0; i < text.size();) {
    const text::CodePoint code_point = text::decode_utf8(text, i);
    i += code_point.size;
    const bool ends =
        i == text.size() || utf8proc_grapheme_break_stateful(
                                static_cast<utf8proc_int32_t>(code_point.value),
                                static_cast<utf8proc_int32_t>(text::decode_utf8(text, i).value), &state);
    if (!ends) continue;
    add_cluster(text, begin, i, out);
    begin = i;
  }
}

}  // namespace sotto::lm
