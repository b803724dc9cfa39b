#include "cli/preview_table.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

Preview one(std::string before, std::string after) {
  Preview preview;
  preview.documents.push_back({"in.txt", 3, "body", std::move(before), std::move(after)});
  return preview;
}

TEST(PreviewTable, SideBySideOrStacked) {
  const Preview preview = one("the soup was cold", "the tea was warm");
  EXPECT_EQ(preview_table(preview, 63, false),
            "== in.txt, record 3, body\nthe soup was cold              | the tea was warm\n");
  EXPECT_EQ(preview_table(preview, 59, false),
            "== in.txt, record 3, body\n- the soup was cold\n+ the tea was warm\n");
}

TEST(PreviewTable, ChangedWordsAreColoured) {
  EXPECT_EQ(preview_table(one("a b c", "a x c"), 40, true),
            "== in.txt, record 3, body\n- a \x1b[31mb\x1b[0m c\n+ a \x1b[32mx\x1b[0m c\n");
  EXPECT_EQ(preview_table(one("a b c", "a c"), 40, true),
            "== in.txt, record 3, body\n- a \x1b[31mb\x1b[0m c\n+ a c\n")
      << "texts of different lengths are aligned";
  EXPECT_EQ(preview_table(one("a", "a"), 40, true).find('\x1b'), std::string::npos);
}

TEST(PreviewTable, NothingInADocumentReachesTheTerminal) {
  const Preview hostile = one("\x1b[2Jwipe \u202Eevil", "\x1b]0;t\x07 x\ry");
  for (const std::size_t width : {10, 59, 60, 200})
    EXPECT_EQ(preview_table(hostile, width, false).find_first_of("\x1b\x07\r\x7f"), std::string::npos);
}

TEST(PreviewTable, NoLineIsWiderThanTheTerminal) {
  std::string wide;
  for (int i = 0; i < 200; ++i)
    wide += i % 3 == 0 ? "大きさ大きさ大きさ大きさ " : "e\u0301tude-verylongwordthatneverends ";
  for (std::size_t width = 5; width < 130; ++width) {
    std::istringstream lines(preview_table(one(wide, wide + "x"), width, false));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width);
  }
}

TEST(PreviewTable, LongDocumentsAreCut) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "w ";
  const std::string shown = preview_table(one(text, text + "w"), 80, false);
  EXPECT_LT(shown.size(), 5000U);
  EXPECT_NE(shown.find("(99600 more)"), std::string::npos);
}

}  // namespace
}  // namespace sotto::cli
