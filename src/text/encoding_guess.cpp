#include "text/encoding_guess.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kFewInvalid = 3;
constexpr std::size_t kBytesPerInvalid = 1000;

struct ByteCounts {
  std::size_t even_zeros = 0;  // at even places
  std::size_t odd_zeros = 0;
  std::size_t high = 0;     // 0x80 and above
  std::size_t control = 0;  // 0x80 to 0x9F: control characters in latin-1, letters and quotes in windows-1252
  std::size_t undefined = 0;  // of these, those that windows-1252 does not have
};

ByteCounts count_bytes(std::string_view sample) {
  ByteCounts counts;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto byte = static_cast<unsigned char>(sample[i]);
    if (byte == 0) ++(i % 2 == 0 ? counts.even_zeros : counts.odd_zeros);
    counts.high += byte >= 0x80;
    counts.control += byte >= 0x80 && byte <= 0x9F;
    counts.undefined += byte == 0x81 || byte == 0x8D || byte == 0x8F || byte == 0x90 || byte == 0x9D;
  }
  return counts;
}

struct BeyondAscii {
  std::size_t valid = 0;    // characters
  std::size_t invalid = 0;  // ill-formed sequences
};

BeyondAscii count_beyond_ascii(std::string_view sample) {
  constexpr std::size_t kLongestCharacter = 4;
  BeyondAscii counts;
  for (std::size_t i = 0; i < sample.size();) {
    i += ascii_prefix(sample, i);
    if (i == sample.size()) break;
    const CodePoint point = decode_utf8(sample, i);
    const bool may_go_on = i + kLongestCharacter > sample.size() && i + point.size == sample.size();
    if (point.valid)
      ++counts.valid;
    else if (!may_go_on)
      ++counts.invalid;
    i += point.size;
  }
  return counts;
}

/// UTF-16 or UTF-32 by a byte order mark, or because every other byte is zero; empty if it is neither.
std::string_view wide_encoding(std::string_view sample, const ByteCounts& counts) {
  if (sample.starts_with("\xFF\xFE\0\0"sv) || sample.starts_with("\0\0\xFE\xFF"sv)) return "utf-32";
  if (sample.starts_with("\xFF\xFE"sv) || sample.starts_with("\xFE\xFF"sv)) return "utf-16";
  // Any Western text, and the spaces, digits and line ends of any other.
  constexpr std::size_t kShare = 20;
  constexpr std::size_t kContrast = 10;
  const std::size_t enough = std::max(kFewInvalid, sample.size() / kShare);
  if (counts.odd_zeros >= enough && counts.odd_zeros > kContrast * counts.even_zeros) return "utf-16le";
  if (counts.even_zeros >= enough && counts.even_zeros > kContrast * counts.odd_zeros) return "utf-16be";
  return {};
}

/// An encoding with one byte per character; empty if most characters are not Latin ones.
std::string_view narrow_encoding(std::string_view sample, const ByteCounts& counts) {
  if (counts.undefined > 0 || 4 * counts.high > sample.size()) return {};
  return counts.control > 0 ? "windows-1252" : "latin-1";
}

tl::unexpected<Error> not_utf8(std::string_view name, std::string_view reason, std::string_view likely) {
  if (likely.empty())
    return fail(Errc::bad_format,
                base::format_message("{}: not UTF-8: {}; say with {{encoding}} what it is", name, reason));
  return fail(Errc::bad_format,
              base::format_message("{}: not UTF-8: {}; it looks like {}, give {{encoding}} {}", name, reason,
                                   likely, likely));
}

}  // namespace

Result<void> check_utf8(std::string_view sample, std::string_view name) {
  constexpr std::size_t kTarPlace = 257;
  const ByteCounts counts = count_bytes(sample);
  if (sample.size() > kTarPlace && sample.substr(kTarPlace).starts_with("ustar"))
    return fail(Errc::bad_format, fmt::format("{}: is a tar archive; unpack it first", name));
  if (const std::string_view wide = wide_encoding(sample, counts); !wide.empty())
    return not_utf8(
        name, wide.ends_with('e') ? "every other byte is zero" : "it begins with another byte order mark",
        wide);
  if (counts.even_zeros + counts.odd_zeros > 0)
    return {};  // not text; readers refuse zero bytes, with the place
  const std::size_t invalid = count_beyond_ascii(sample).invalid;
  if (invalid < kFewInvalid || invalid * kBytesPerInvalid <= sample.size()) return {};
  return not_utf8(name, fmt::format("{} errors in the first {} bytes", invalid, sample.size()),
                  narrow_encoding(sample, counts));
}

IllFormedText find_ill_formed(std::string_view sample) {
  const BeyondAscii counts = count_beyond_ascii(sample);
  const bool is_other = counts.invalid > 0 && counts.valid == 0;
  return {counts.invalid, is_other ? narrow_encoding(sample, count_bytes(sample)) : std::string_view()};
}

}  // namespace sotto::text
