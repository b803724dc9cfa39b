// Encodings of text other than UTF-8, through iconv.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <iconv.h>

#include <sotto/result.hpp>

namespace sotto::base {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // in UTF-8

/// The name of an encoding, known to iconv. Anything inside the program is UTF-8.
class TextEncoding {
 public:
  TextEncoding() = default;  ///< UTF-8
  /// Any name that iconv knows, in any case, and "latin-1". An error names `parameter`. Empty means UTF-8.
  static Result<TextEncoding> parse(std::string_view parameter, std::string_view name);

  bool is_utf8() const { return iconv_name_ == "UTF-8"; }
  /// UTF-16 or UTF-32 without a byte order: a mark at the beginning tells it.
  bool needs_mark() const { return iconv_name_ == "UTF-16" || iconv_name_ == "UTF-32"; }
  /// Whether a byte order mark can be written.
  bool is_unicode() const { return iconv_name_.starts_with("UTF"); }
  const std::string& name() const { return name_; }  ///< as given, for messages
  const std::string& iconv_name() const { return iconv_name_; }

  /// The same encoding in the byte order that the first four bytes of a text tell. Little-endian if the text
  /// is empty; an error if it has no mark. Any other encoding is returned as it is.
  Result<TextEncoding> in_order_of(std::string_view start) const;
  TextEncoding little_endian() const;

 private:
  std::string name_ = "utf-8";
  std::string iconv_name_ = "UTF-8";
};

/// Converts text from one encoding to another. Not thread-safe.
class Transcoder {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool invalid = false;  ///< what follows is not text in the one encoding, or does not exist in the other
  };

  /// Neither encoding may need a mark.
  static Result<Transcoder> make(const TextEncoding& from, const TextEncoding& to);
  Transcoder(Transcoder&& other) noexcept : state_(std::exchange(other.state_, kClosed)) {}
  Transcoder& operator=(Transcoder&& other) noexcept;
  ~Transcoder();

  /// Converts until `in` holds no whole character any more, `out` is full or a character is invalid.
  Step convert(std::string_view in, std::span<char> out);

  /// Writes what is held back at the end of the text, such as the return to an initial state; returns its
  /// size.
  std::size_t finish(std::span<char> out);

  /// Appends all of `in` to `out`, whole and by itself; returns false at an invalid or incomplete character.
  bool convert_all(std::string_view in, std::string& out);

 private:
  explicit Transcoder(iconv_t state) : state_(state) {}
  static inline const iconv_t kClosed = reinterpret_cast<iconv_t>(-1);  // NOLINT(*-int-to-ptr)

  iconv_t state_;
};

}  // namespace sotto::base
