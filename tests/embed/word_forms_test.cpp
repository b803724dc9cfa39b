#include "embed/word_forms.hpp"

#include <gtest/gtest.h>

#include "embed/model_file_builder.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;
using namespace sotto::testing;

TEST(ShippedWordForms, WordsAsPublicTextWritesThem) {
  const auto forms = WordForms::open(SOTTO_SHIPPED_WORD_FORMS).value();
  EXPECT_GT(forms->size(), 8000U);
  for (const char* form : {"I", "I'm", "Munich", "NASA", "Christmas", "iPhone", "Monday", "English", "God",
                           "FBI", "U.S.", "U.K.", "U.N.", "New_York", "White_House"}) {
    std::string lower;
    for (const char* c = form; *c != 0; ++c)
      lower += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c + 32) : *c;
    EXPECT_EQ(forms->find(lower), form);
  }
  for (const char* word : {"a", "the", "may", "us", "will", "new", "queen", "street", "soup", "p.m.", "a.m.",
                           "e.g.", "Munich", ""})
    EXPECT_EQ(forms->find(word), "") << word;
  EXPECT_EQ(forms->digest().size(), 64U);
}

class WordFormsFile : public FolderTest {
 protected:
  /// A file with these lines, written by hand.
  Result<std::shared_ptr<const WordForms>> open(const std::string& lines,
                                                const std::string& format = "sotto-word-forms") {
    std::string header =
        R"({"__metadata__":{"format":")" + format + R"(","version":"1"},"forms":{"dtype":"U8","shape":[)" +
        std::to_string(lines.size()) + R"(],"data_offsets":[0,)" + std::to_string(lines.size()) + "]}}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::string content(8, '\0');
    content[0] = static_cast<char>(header.size() & 0xFF);
    content[1] = static_cast<char>(header.size() >> 8);
    write("forms.safetensors", content + header + lines);
    return WordForms::open(path("forms.safetensors"));
  }
};

TEST_F(WordFormsFile, ReadsForms) {
  const auto forms = open("iPhone\nNASA\nNew_York\nU.S.\n").value();
  EXPECT_EQ(forms->size(), 4U);
  EXPECT_EQ(forms->find("u.s."), "U.S.");
  EXPECT_EQ(forms->find("nasa"), "NASA");
  EXPECT_EQ(forms->find("iphone"), "iPhone");
  EXPECT_EQ(forms->find("new_york"), "New_York");
  EXPECT_EQ(open("").value()->size(), 0U);
}

// A form is written into outputs, so a table must not be able to put anything but its word's letters there.
TEST_F(WordFormsFile, RefusesWhatIsNoForm) {
  for (const char* lines : {"Two words\n", "\nNASA\n", "NASA\n\n", "Caf\xC3\xA9\n", "B2B\n", "a\tb\n",
                            "NASA\niPhone\n", "NASA\nNasa\n"})
    EXPECT_FALSE(open(lines)) << lines;
  EXPECT_FALSE(open("NASA\n", "sotto-word-map"));
  EXPECT_FALSE(WordForms::open(path("nowhere")));
}

}  // namespace
}  // namespace sotto
