// Whatever a receipt says, the page shows it and means nothing by it.
#include "cli/receipt_page.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

ReceiptDescription described(const std::string& text) {
  ReceiptDescription description;
  description.title = text;
  description.promise = text;
  description.examples = {text};
  description.sections = {{"Section", {text}, {text}}};
  return description;
}

TEST(ReceiptPage, HtmlIsEscaped) {
  const std::string page = receipt_html(described("<script>alert('x')</script>\" onload=\"&amp;"));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("' onload"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;&amp;amp;"),
            std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* const outside : {"http://", "https://", "src=", "href=", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << "the page needs nothing else";
}

TEST(ReceiptPage, MarkdownIsEscaped) {
  const std::pair<const char*, const char*> cases[] = {
      {"[a](http://x)", "\\[a\\](http\\://x)"},
      {"![a](b)", "!\\[a\\](b)"},
      {"<img src=x>", "\\<img src\\=x\\>"},
      {"`code` **bold** _it_ ~~no~~", "\\`code\\` \\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~"},
      {"www.evil.example @someone #1", "www\\.evil.example \\@someone \\#1"},
      {"a | b \\ c $x$", "a \\| b \\\\ c \\$x\\$"},
      {"1. one", "1\\. one"},
      {"- item", "\\- item"},
      {"+ item", "\\+ item"},
      {"plain, 3.5 (so): yes", "plain, 3.5 (so): yes"},
  };
  for (const auto& [text, escaped] : cases) {
    const std::string page = receipt_markdown(described(text));
    EXPECT_NE(page.find("\n" + std::string(escaped) + "\n"), std::string::npos) << text << " in " << page;
    EXPECT_NE(page.find("- " + std::string(escaped) + "\n"), std::string::npos) << text;
  }
}

TEST(ReceiptPage, ATerminalGetsVisibleTextThatFits) {
  const std::string hostile = "\x1b[2J \u202E aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 大きさ";
  for (std::size_t width = 8; width < 150; width += 7) {
    std::istringstream lines(receipt_text(described(hostile), width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
      if (width > 20) {
        EXPECT_LE(display_width(line), std::min<std::size_t>(width, 100));
      }
    }
  }
}

TEST(ReceiptPage, TheAttackersSuccessHasItsPlace) {
  ReceiptDescription description = described("text");
  description.attacker = "An attacker recovers 46 of 100 words.";
  for (const std::string& page :
       {receipt_text(description, 80), receipt_markdown(description), receipt_html(description)}) {
    const std::size_t at = page.find("An attacker recovers 46 of 100 words.");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(at, page.find("Section"));
  }
}

}  // namespace
}  // namespace sotto::cli
