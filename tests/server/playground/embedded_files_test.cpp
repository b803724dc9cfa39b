#include "playground/embedded_files.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sotto::server {
namespace {

TEST(EmbeddedFiles, AreThoseOfTheSourceByteForByte) {
  ASSERT_FALSE(embedded_files().empty());
  for (const EmbeddedFile& file : embedded_files()) {
    std::ifstream source(std::string(SOTTO_WEB) + "/" + std::string(file.name), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(source), {}};
    EXPECT_EQ(file.content, content) << file.name;
  }
}

TEST(EmbeddedFiles, HaveTypesAndDistinctTags) {
  std::set<std::string_view> tags;
  for (const EmbeddedFile& file : embedded_files()) {
    EXPECT_FALSE(file.content_type.empty()) << file.name;
    EXPECT_EQ(file.etag.front(), '"');
    EXPECT_EQ(file.etag.back(), '"');
    EXPECT_TRUE(tags.insert(file.etag).second) << file.name;
  }
}

TEST(EmbeddedFiles, AreFoundByTheirNamesOnly) {
  ASSERT_NE(find_embedded_file("index.html"), nullptr);
  for (const char* name : {"", "index", "../web/index.html", "index.html/", "package.json", "\0"})
    EXPECT_EQ(find_embedded_file(name), nullptr) << name;
}

/// A strict policy for content allows none of these.
TEST(EmbeddedFiles, HaveNoInlineCode) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.ends_with(".html")) continue;
    EXPECT_EQ(file.content.find("<style"), std::string_view::npos) << file.name;
    EXPECT_EQ(file.content.find(" style="), std::string_view::npos) << file.name;
    EXPECT_EQ(file.content.find("<script>"), std::string_view::npos) << file.name;
    EXPECT_EQ(file.content.find("javascript:"), std::string_view::npos) << file.name;
  }
  for (const EmbeddedFile& file : embedded_files())
    for (const char* parser : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
      EXPECT_EQ(file.content.find(parser), std::string_view::npos) << file.name << ": " << parser;
}

}  // namespace
}  // namespace sotto::server
