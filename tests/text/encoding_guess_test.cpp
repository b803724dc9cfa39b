#include "text/encoding_guess.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

namespace sotto {
namespace {

using namespace sotto::text;
using namespace std::string_literals;

std::string wide(std::string_view ascii, bool big_endian) {
  std::string text;
  for (const char c : ascii) text += big_endian ? "\0"s + c : c + "\0"s;
  return text;
}

struct Sample {
  const char* about;
  std::string bytes;
  std::string said;  // empty: it is taken
};
const Sample kSamples[] = {
    {"nothing", "", ""},
    {"ASCII", "The soup was cold.\n", ""},
    {"UTF-8", "Café, déjà vu, 日本語 😀\n", ""},
    {"UTF-8 with a mark", "\xEF\xBB\xBFsoup\n", ""},
    {"cut inside a character", "Café 日本\xE6\x97", ""},
    {"two errors", "soup \xFF\xFE cold\n", ""},
    {"few errors in a long text", std::string(100'000, 'a') + "\xE9 \xE9 \xE9 \xE9 \xE9 \xE9", ""},
    {"a zero byte", "soup\0cold"s, ""},
    {"latin-1", "Le caf\xE9 \xE0 c\xF4t\xE9 est ferm\xE9 le samedi et le dimanche.",
     "looks like latin-1, give encoding latin-1"},
    {"windows-1252", "\x93It\x92s cold,\x94 he said.", "looks like windows-1252"},
    {"latin-1 is most of the end", std::string(5000, 'a') + " \xE9\xE9 \xE9\xE9 \xE9\xE9 ", "latin-1"},
    {"Cyrillic", "\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0 \xEA\xE0\xEA", "say with encoding what it is"},
    {"Japanese", "\x93\xFA\x96\x7B\x8C\xEA \x83\x65\x83\x58", "say with encoding what it is"},
    {"UTF-16 with a mark", "\xFF\xFE" + wide("soup", false), "looks like utf-16, give"},
    {"UTF-16 the other way", "\xFE\xFF" + wide("soup", true), "looks like utf-16, give"},
    {"UTF-16 in Chinese", "\xFF\xFE\x2D\x4E\x87\x65", "looks like utf-16, give"},
    {"UTF-16LE without a mark", wide("The soup was cold.\n", false), "looks like utf-16le"},
    {"UTF-16BE without a mark", wide("The soup was cold.\n", true), "looks like utf-16be"},
    {"UTF-32", "\xFF\xFE\0\0s\0\0\0"s, "looks like utf-32"},
    {"a program, refused elsewhere",
     "\x7F"
     "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\xE9\xE9\xE9\xE9"s,
     ""},
    {"a tar archive", std::string(257, 'a') + "ustar\0"s, "tar archive"},
};

TEST(EncodingGuess, NamesTheLikelyEncoding) {
  for (const Sample& sample : kSamples) {
    const auto checked = check_utf8(sample.bytes, "in.txt");
    EXPECT_EQ(checked.has_value(), sample.said.empty()) << sample.about;
    if (checked) continue;
    const std::string line = describe(checked.error());
    EXPECT_TRUE(line.starts_with("in.txt: ")) << line;
    EXPECT_NE(line.find(sample.said), std::string::npos) << sample.about << ": " << line;
  }
}

TEST(EncodingGuess, FewErrorsAreCountedAndDamagedUtf8IsNoOtherEncoding) {
  const std::tuple<std::string, std::size_t, std::string> cases[] = {
      {"The soup was cold.\n", 0, ""},         {"Caf\xC3\xA9\n", 0, ""},
      {"Le caf\xE9 na\xEFve\n", 2, "latin-1"}, {"It\x92s caf\xE9\n", 2, "windows-1252"},
      {"Caf\xC3\xA9, caf\xE9\n", 1, ""},       {"\xE9", 0, ""},  // the rest may follow
  };
  for (const auto& [bytes, sequences, likely] : cases) {
    const IllFormedText found = find_ill_formed(bytes);
    EXPECT_EQ(found.sequences, sequences) << bytes;
    EXPECT_EQ(found.likely, likely) << bytes;
  }
}

}  // namespace
}  // namespace sotto
