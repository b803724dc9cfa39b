#include "embed/vocabulary.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;

class KnownWords {
 public:
  explicit KnownWords(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      bytes_ += word;
      offsets_.push_back(bytes_.size());
    }
    vocabulary_.emplace(offsets_, bytes_);
  }
  const Vocabulary& operator*() const { return *vocabulary_; }
  const Vocabulary* operator->() const { return &*vocabulary_; }

  TokenId find_ascii(std::string word) const {
    const std::size_t length = word.size();
    word += "XXXXXXXXXXXXXXXX";  // what follows a word in a text must not matter
    return vocabulary_->find_ascii(word.data(), length);
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::optional<Vocabulary> vocabulary_;
};

TEST(Vocabulary, LowerCaseVocabularyIgnoresCase) {
  const KnownWords words({"pizza", "don't", "well-known", "été", "i", "internationalizations", "straße"});
  for (const char* spelling : {"pizza", "Pizza", "PIZZA", "pIzZa"}) {
    EXPECT_EQ(words->find(spelling), 0U) << spelling;
    EXPECT_EQ(words.find_ascii(spelling), 0U) << spelling;
  }
  EXPECT_EQ(words->find("Don’t"), 1U);
  EXPECT_EQ(words.find_ascii("DON'T"), 1U);
  EXPECT_EQ(words->find("Well\u2010Known"), 2U);
  EXPECT_EQ(words->find("Well\u2011known"), 2U);
  EXPECT_EQ(words.find_ascii("Well-Known"), 2U);
  EXPECT_EQ(words->find("ÉTÉ"), 3U);
  EXPECT_EQ(words->find("e\u0301te\u0301"), 3U) << "decomposed";
  EXPECT_EQ(words.find_ascii("I"), 4U);
  EXPECT_EQ(words.find_ascii("Internationalizations"), 5U) << "longer than 16 bytes";
  EXPECT_EQ(words->find("STRASSE"), words->bottom());
  for (const char* absent : {"", "pizz", "pizzas", "internationalization", "i-", "'"}) {
    EXPECT_EQ(words->find(absent), 7U) << absent;
    EXPECT_EQ(words.find_ascii(absent), 7U) << absent;
  }
}

TEST(Vocabulary, CasedVocabularyPrefersTheSpellingGiven) {
  const KnownWords words({"Paris", "paris", "London", "rome", "ROME", "Überlingen", "NATO", "McDonald's",
                          "Massachusetts-based"});
  const std::vector<std::pair<std::string, TokenId>> expected = {{"Paris", 0},
                                                                 {"paris", 1},
                                                                 {"PARIS", 1},
                                                                 {"London", 2},
                                                                 {"london", 2},
                                                                 {"LONDON", 2},
                                                                 {"rome", 3},
                                                                 {"Rome", 3},
                                                                 {"ROME", 4},
                                                                 {"NATO", 6},
                                                                 {"nato", 9},
                                                                 {"Nato", 9},
                                                                 {"McDonald's", 7},
                                                                 {"massachusetts-based", 8},
                                                                 {"MASSACHUSETTS-BASED", 8}};
  for (const auto& [spelling, id] : expected) {
    EXPECT_EQ(words->find(spelling), id) << spelling;
    EXPECT_EQ(words.find_ascii(spelling), id) << spelling;
  }
  EXPECT_EQ(words->find("überlingen"), 5U);
  EXPECT_EQ(words->find("ÜBERLINGEN"), 5U);
  EXPECT_EQ(words->find("McDonald’s"), 7U);
}

TEST(Vocabulary, UpperCaseBeyondAsciiMakesAVocabularyCased) {
  const KnownWords words({"Élan", "pizza"});
  EXPECT_EQ(words->find("Élan"), 0U);
  EXPECT_EQ(words->find("élan"), 0U);
  EXPECT_EQ(words.find_ascii("Pizza"), 1U);
}

TEST(Vocabulary, CharactersThatFoldOntoOthersStayApart) {
  // Setting bit 5 would turn each of these into another character: @ into `, [ into {, _ into DEL, and the
  // control characters 0x07 and 0x0D into ' and -.
  const KnownWords words({"`", "{x", "a\x07", "b\rc", "_", "a\x7F", std::string("z\0", 2), "z"});
  for (const char* absent : {"@", "[x", "a'", "b-c", "a_"})
    EXPECT_EQ(words->find(absent), words->bottom()) << absent;
  EXPECT_EQ(words.find_ascii("a'"), words->bottom());
  EXPECT_EQ(words.find_ascii("B-C"), words->bottom());
  EXPECT_EQ(words->find("{x"), 1U);
  EXPECT_EQ(words->find("_"), 4U);
  EXPECT_EQ(words->find(std::string_view("z\0", 2)), 6U);
  EXPECT_EQ(words->find("z"), 7U);
}

TEST(Vocabulary, FindExactKnowsOneSpellingOnly) {
  const KnownWords words({"Paris", "don't", "a-word-of-more-than-sixteen-bytes"});
  EXPECT_EQ(words->find_exact("Paris"), 0U);
  EXPECT_EQ(words->find_exact("paris"), 3U);
  EXPECT_EQ(words->find_exact("don’t"), 3U);
  EXPECT_EQ(words->find_exact("a-word-of-more-than-sixteen-bytes"), 2U);
}

TEST(Vocabulary, AgreesWithAMapOnManyWords) {
  std::mt19937 generator(3);
  const std::string letters = "abcdefghij'-";
  const auto random_word = [&] {
    std::string word;
    const std::size_t length = 1 + generator() % 20;
    for (std::size_t i = 0; i < length; ++i) word += letters[generator() % (i < 2 ? 3 : letters.size())];
    return word;
  };
  std::map<std::string, TokenId> map;
  std::vector<std::string> list;
  while (list.size() < 30000) {
    const std::string word = random_word();
    if (map.emplace(word, static_cast<TokenId>(list.size())).second) list.push_back(word);
  }
  const KnownWords words(list);
  for (TokenId id = 0; id < list.size(); ++id) {
    ASSERT_EQ(words->find(list[id]), id);
    ASSERT_EQ(words.find_ascii(list[id]), id);
  }
  for (int i = 0; i < 30000; ++i) {
    const std::string word = random_word();
    const auto found = map.find(word);
    const TokenId expected = found == map.end() ? words->bottom() : found->second;
    ASSERT_EQ(words->find(word), expected) << word;
    ASSERT_EQ(words.find_ascii(word), expected) << word;
  }
}

TEST(Vocabulary, IsBuiltOnceWhenThreadsMeet) {
  const testing::TemporaryFolder folder;
  const auto model = testing::write_tiny_model(folder.path() / "tiny.safetensors");
  std::vector<const Vocabulary*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (auto& slot : seen) threads.emplace_back([&] { slot = &ModelAccess::vocabulary(*model); });
  }
  for (const Vocabulary* vocabulary : seen) EXPECT_EQ(vocabulary, seen[0]);
  EXPECT_EQ(model->find("Pizza"), 3U);
  EXPECT_EQ(model->find("calzone"), model->bottom());
}

}  // namespace
}  // namespace sotto
