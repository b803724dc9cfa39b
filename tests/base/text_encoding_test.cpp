#include "base/text_encoding.hpp"

#include <gtest/gtest.h>

#include "base/compressed_input.hpp"
#include "support/folder_test.hpp"

namespace sotto {
namespace {

using namespace sotto::base;
using namespace std::string_literals;

TextEncoding named(std::string_view name) {
  return TextEncoding::parse("encoding", name).value();
}

class Encoded : public testing::FolderTest {
 protected:
  Result<std::string> read(std::string_view content, std::string_view encoding) const {
    return read_content(write("in", content), {named(encoding), {}});
  }
  std::string error_of(std::string_view content, std::string_view encoding) const {
    const auto result = read(content, encoding);
    EXPECT_FALSE(result);
    return result ? "" : result.error().message;
  }
};

struct EncodedText {
  const char* encoding;
  std::string bytes;
  std::string text;
};
const EncodedText kEncodedTexts[] = {
    {"utf-8", "caf\xC3\xA9", "café"},
    {"UTF8", "caf\xE9", "caf\xE9"},  // stays as it is
    {"", "caf\xC3\xA9", "café"},
    {"latin-1", "caf\xE9", "café"},
    {"Latin1", "\x85", "\u0085"},
    {"iso-8859-15", "\xA4", "€"},
    {"windows-1252", "\x93hi\x94 \x80", "“hi” €"},
    {"cp1251", "\xEF\xF0\xE8", "при"},
    {"utf-16",
     "\xFF\xFE"
     "a\0\xE9\0"s,
     "\uFEFFaé"},
    {"utf-16", "\xFE\xFF\0a\0\xE9"s, "\uFEFFaé"},
    {"utf-16le", "a\0\x3D\xD8\x00\xDE"s, "a😀"},
    {"utf-16be", "\0a"s, "a"},
    {"utf-16", "", ""},
    {"utf-32", "\xFF\xFE\0\0a\0\0\0"s, "\uFEFFa"},
    {"shift_jis", "\x93\xFA\x96\x7B", "日本"},
    {"iso-2022-jp", "\x1B$BF|K\\\x1B(B", "日本"},
};

TEST_F(Encoded, TextsAreRead) {
  for (const EncodedText& one : kEncodedTexts)
    EXPECT_EQ(read(one.bytes, one.encoding).value(), one.text) << one.encoding;
}

// Whatever fits into the reader's hand, and longer than any buffer.
TEST_F(Encoded, TheSizeOfReadsDoesNotMatter) {
  std::string wide;
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    wide += "a\0\x3D\xD8\x00\xDE"s;
    text += "a😀";
  }
  for (const std::size_t size : {1U, 3U, 63U, 64U, 1U << 20}) {
    const auto stream = InputStream::open(write("in", wide), {named("utf-16le"), {}}).value();
    std::string content;
    std::string piece(size, '\0');
    for (std::size_t got = 1; got > 0;) {
      got = stream->read(piece.data(), size).value();
      content.append(piece, 0, got);
    }
    EXPECT_TRUE(content == text) << size;
  }
}

TEST_F(Encoded, WhatIsNotTextIsAnErrorThatNamesThePlace) {
  EXPECT_NE(error_of("ab\x81", "windows-1252").find("is not windows-1252 at byte 2"), std::string::npos);
  EXPECT_NE(error_of("a\0\x00\xDC"
                     "b\0"s,
                     "utf-16le")
                .find("at byte 2"),
            std::string::npos);
  EXPECT_NE(error_of("a\0b"s, "utf-16le").find("ends inside a character of utf-16le at byte 2"),
            std::string::npos);
  EXPECT_NE(error_of("a\0b\0"s, "utf-16").find("no byte order mark"), std::string::npos);
}

TEST(TextEncoding, UnknownNamesAndInstructionsAreRefused) {
  for (const std::string name :
       {"klingon", "latin-1//IGNORE", "latin1//TRANSLIT", "char", "wchar_t", "a b", "/"}) {
    const auto parsed = TextEncoding::parse("encoding", name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().parameter, "encoding");
    EXPECT_EQ(parsed.error().value, name);
  }
}

TEST(TextEncoding, IsWrittenAsItIsRead) {
  for (const EncodedText& one : kEncodedTexts) {
    if (named(one.encoding).is_utf8()) continue;
    Transcoder writer =
        Transcoder::make(TextEncoding(), named(one.encoding).in_order_of(one.bytes).value()).value();
    for (int time = 0; time < 2; ++time) {  // nothing is left over from the first
      std::string out = "kept ";
      EXPECT_TRUE(writer.convert_all(one.text, out));
      EXPECT_EQ(out, "kept " + one.bytes) << one.encoding;
    }
  }
}

TEST(TextEncoding, WhatCannotBeWrittenIsNotWritten) {
  Transcoder writer = Transcoder::make(TextEncoding(), named("latin-1")).value();
  std::string out;
  EXPECT_FALSE(writer.convert_all("soup 😀 soup", out));
  EXPECT_FALSE(writer.convert_all("soup \xFF", out));
  EXPECT_FALSE(writer.convert_all("cut \xC3", out));
  out.clear();
  EXPECT_TRUE(writer.convert_all("é", out));
  EXPECT_EQ(out, "\xE9");
}

}  // namespace
}  // namespace sotto
