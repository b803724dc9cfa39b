#include "train/token_vocabulary.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::train;

class TokenVocabularyTest : public ::testing::Test {
 protected:
  TokenVocabularyTest() {
    const std::vector<ScoredPhrase> phrases = {{"a_b", 3, 1}, {"a_b_c", 3, 1}, {"c_d", 3, 1}};
    EXPECT_TRUE(write_phrase_table(folder_.path() / "phrases", phrases, {}));
    table_ = *PhraseTable::open(folder_.path() / "phrases");
  }

  TokenCounts counts(const std::vector<std::pair<std::string, std::uint64_t>>& given) const {
    TokenCounts result(table_->size());
    for (const auto& [token, count] : given) {
      const PhraseId phrase = table_->find(token);
      for (std::uint64_t i = 0; i < count && phrase != kNoPhrase; ++i) result.add_phrase(phrase);
      if (phrase == kNoPhrase) result.add_word(token, count);
    }
    return result;
  }

  /// The chosen tokens, in no meaningful order.
  std::vector<std::string> choose(const TokenCounts& given, const VocabularyRules& rules) const {
    const TokenVocabulary vocabulary = choose_vocabulary(given, table_.get(), rules);
    std::vector<std::string> chosen;
    for (std::uint32_t i = 0; i < vocabulary.words.size(); ++i) chosen.emplace_back(vocabulary.words[i]);
    for (PhraseId id = 0; id < table_->size(); ++id)
      if (vocabulary.phrases[id]) chosen.push_back(table_->phrase(id));
    return chosen;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const PhraseTable> table_;
};

using Tokens = std::vector<std::string>;

TEST_F(TokenVocabularyTest, MinimumCount) {
  EXPECT_EQ(choose(counts({{"x", 3}, {"y", 2}, {"a_b", 3}, {"c_d", 2}}), {3, 0, nullptr}),
            (Tokens{"x", "a_b"}));
}

TEST_F(TokenVocabularyTest, ThePartsOfRarePhrasesCount) {
  // c: 1, plus 1 from c_d.
  EXPECT_EQ(choose(counts({{"c", 1}, {"a", 1}, {"c_d", 1}}), {2, 0, nullptr}), (Tokens{"c"}));
  // a_b gets 1 from a_b_c, and so does c.
  EXPECT_EQ(choose(counts({{"c", 1}, {"a_b", 1}, {"a_b_c", 1}}), {2, 0, nullptr}), (Tokens{"c", "a_b"}));
}

TEST_F(TokenVocabularyTest, TheLimitIsJudgedAfterPhrasesAreTakenApart) {
  // Counts: x 5, y 4, c_d 3, d 2. With a limit of three c_d stays; with two it is split, and d rises to 5,
  // above y.
  const TokenCounts given = counts({{"x", 5}, {"y", 4}, {"d", 2}, {"c_d", 3}});
  EXPECT_EQ(choose(given, {1, 3, nullptr}), (Tokens{"x", "y", "c_d"}));
  EXPECT_EQ(choose(given, {1, 2, nullptr}), (Tokens{"d", "x"}));
}

TEST_F(TokenVocabularyTest, EqualCountsInByteOrder) {
  EXPECT_EQ(choose(counts({{"z", 1}, {"m", 1}, {"b", 1}}), {1, 2, nullptr}), (Tokens{"b", "m"}));
}

TEST_F(TokenVocabularyTest, ASelectionAppliesToThePartsOfPhrases) {
  embed::WordSelection selection;
  for (const char* word : {"a", "b", "d"}) selection.words.add(word);
  EXPECT_EQ(choose(counts({{"x", 9}, {"a", 1}, {"a_b_c", 1}, {"c_d", 1}}), {1, 0, &selection}),
            (Tokens{"a", "d", "a_b"}));
}

TEST_F(TokenVocabularyTest, SumsOfThreads) {
  TokenCounts sum = counts({{"x", 1}, {"a_b", 2}});
  sum.add(counts({{"y", 5}, {"x", 2}, {"a_b", 1}, {"c_d", 1}}));
  EXPECT_EQ(sum.word_count(sum.words().find("x")), 3U);
  EXPECT_EQ(sum.word_count(sum.words().find("y")), 5U);
  EXPECT_EQ(sum.phrase_counts()[table_->find("a_b")], 3U);
  EXPECT_EQ(sum.phrase_counts()[table_->find("c_d")], 1U);
}

}  // namespace
}  // namespace sotto
