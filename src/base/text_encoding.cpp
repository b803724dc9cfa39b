#include "base/text_encoding.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

namespace sotto::base {
namespace {

using namespace std::string_view_literals;

struct EncodingAlias {
  std::string_view name;
  std::string_view iconv_name;
};
constexpr std::array<EncodingAlias, 7> kEncodingAliases = {{{"", "UTF-8"},
                                                            {"UTF8", "UTF-8"},
                                                            {"UTF16", "UTF-16"},
                                                            {"UTF32", "UTF-32"},
                                                            {"LATIN-1", "ISO-8859-1"},
                                                            {"LATIN1", "ISO-8859-1"},
                                                            {"WINDOWS-1252", "CP1252"}}};

struct Mark {
  std::string_view bytes;
  std::string_view encoding;
  std::string_view ordered;
};
constexpr std::array<Mark, 4> kMarks = {{{"\xFF\xFE"sv, "UTF-16", "UTF-16LE"},
                                         {"\xFE\xFF"sv, "UTF-16", "UTF-16BE"},
                                         {"\xFF\xFE\0\0"sv, "UTF-32", "UTF-32LE"},
                                         {"\0\0\xFE\xFF"sv, "UTF-32", "UTF-32BE"}}};

std::string upper_case(std::string_view name) {
  std::string upper(name);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

/// iconv takes instructions after a slash ("//IGNORE" drops characters), and "" and "char" for the locale's
/// encoding.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:+()";
  return name.find_first_not_of(kAllowed) == name.npos && name != "CHAR" && name != "WCHAR_T";
}

}  // namespace

Result<TextEncoding> TextEncoding::parse(std::string_view parameter, std::string_view name) {
  TextEncoding encoding;
  encoding.name_ = name.empty() ? "utf-8" : std::string(name);
  encoding.iconv_name_ = upper_case(name);
  for (const EncodingAlias& alias : kEncodingAliases)
    if (encoding.iconv_name_ == alias.name) encoding.iconv_name_ = alias.iconv_name;
  if (encoding.is_utf8()) return encoding;
  const bool known = is_plain_name(encoding.iconv_name_) && Transcoder::make(encoding, TextEncoding()) &&
                     Transcoder::make(TextEncoding(), encoding);
  if (known) return encoding;
  return fail_parameter(parameter, name,
                        fmt::format("'{}' is no known encoding; give, for example, utf-8, utf-16, latin-1 or "
                                    "windows-1252",
                                    name));
}

Result<TextEncoding> TextEncoding::in_order_of(std::string_view start) const {
  if (!needs_mark()) return *this;
  if (start.empty()) return little_endian();
  TextEncoding ordered = *this;
  for (const Mark& mark : kMarks)
    if (mark.encoding == iconv_name_ && start.starts_with(mark.bytes)) {
      ordered.iconv_name_ = mark.ordered;
      return ordered;
    }
  return fail(Errc::bad_format,
              fmt::format("no byte order mark at the beginning; if this is {}, say {}le or {}be", name_,
                          name_, name_));
}

TextEncoding TextEncoding::little_endian() const {
  TextEncoding ordered = *this;
  if (needs_mark()) ordered.iconv_name_ += "LE";
  return ordered;
}

Result<Transcoder> Transcoder::make(const TextEncoding& from, const TextEncoding& to) {
  const iconv_t state = ::iconv_open(to.iconv_name().c_str(), from.iconv_name().c_str());
  if (state == kClosed)
    return fail(Errc::limit, fmt::format("cannot convert {} to {}", from.name(), to.name()));
  return Transcoder(state);
}

Transcoder& Transcoder::operator=(Transcoder&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Transcoder::~Transcoder() {
  if (state_ != kClosed) ::iconv_close(state_);
}

Transcoder::Step Transcoder::convert(std::string_view in, std::span<char> out) {
  char* from = const_cast<char*>(in.data());  // iconv does not write to its input
  std::size_t left = in.size();
  char* to = out.data();
  std::size_t room = out.size();
  const bool failed = ::iconv(state_, &from, &left, &to, &room) == static_cast<std::size_t>(-1);
  return {in.size() - left, out.size() - room, failed && errno == EILSEQ};
}

std::size_t Transcoder::finish(std::span<char> out) {
  char* to = out.data();
  std::size_t room = out.size();
  ::iconv(state_, nullptr, nullptr, &to, &room);
  return out.size() - room;
}

bool Transcoder::convert_all(std::string_view in, std::string& out) {
  constexpr std::size_t kLongestCharacter = 16;
  ::iconv(state_, nullptr, nullptr, nullptr, nullptr);  // forget an earlier failure
  std::size_t size = out.size();
  while (!in.empty()) {
    out.resize(size + 2 * in.size() + kLongestCharacter);
    const Step step = convert(in, std::span(out).subspan(size));
    size += step.produced;
    in.remove_prefix(step.consumed);
    if (step.invalid || step.consumed == 0) break;
  }
  out.resize(size + kLongestCharacter);
  size += finish(std::span(out).subspan(size));
  out.resize(size);
  return in.empty();
}

}  // namespace sotto::base
