#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "embed/unknown/edit_cost.hpp"
#include "embed/unknown/spelling_index.hpp"
#include "support/every_target.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;

/// The whole table, without any shortcut.
int reference_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      int& best = table[i][j];
      best = static_cast<int>(std::max(i, j));
      if (i == 0 || j == 0) continue;
      best =
          std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

std::string random_word(std::mt19937& random, unsigned longest, unsigned letters) {
  std::string word;
  for (auto i = 1 + random() % longest; i > 0; --i) word += static_cast<char>('a' + random() % letters);
  return word;
}

TEST(Spelling, DistancesAreThoseOfTheTable) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const std::string a = random_word(random, round % 50 == 0 ? 48 : 9, 3);
    const std::string b = random_word(random, round % 50 == 0 ? 48 : 9, 3);
    const int expected = reference_distance(a, b);
    for (const int most : {1, 2, 100}) {
      const int found = EditDistance(a).to(b, most);
      if (expected <= most)
        ASSERT_EQ(found, expected) << a << ' ' << b;
      else
        ASSERT_GT(found, most) << a << ' ' << b;
    }
    if (expected <= 2)
      ASSERT_EQ(edit_cost(a, b, 2).edits, expected) << a << ' ' << b;
    else
      ASSERT_GT(edit_cost(a, b, 2).edits, 2) << a << ' ' << b;
  }
}

/// One random edit of a random letter.
std::string edited(std::string word, std::mt19937& random) {
  const std::size_t at = random() % word.size();
  const char letter = static_cast<char>('a' + random() % 26);
  switch (random() % 4) {
    case 0:
      return word.insert(at, 1, letter);
    case 1:
      return word.erase(at, word.size() > 1 ? 1 : 0);
    case 2:
      word[at] = letter;
      return word;
    default:
      std::swap(word[at], word[at == 0 ? 0 : at - 1]);
      return word;
  }
}

// With 26 letters, chance hides no mistake in how far letters may have moved.
TEST(Spelling, NearWordsAreMeasured) {
  std::mt19937 random(4);
  for (int round = 0; round < 50'000; ++round) {
    const std::string a = random_word(random, 12, 26);
    std::string b = edited(a, random);
    if (round % 4 > 0) b = edited(b, random);
    const int expected = reference_distance(a, b);
    for (const int most : {1, 2})
      ASSERT_TRUE(EditDistance(a).may_be_within(b, most) || expected > most) << a << ' ' << b;
    const int found = edit_cost(a, b, 2).edits;
    ASSERT_TRUE(found == expected || (found > 2 && expected > 2)) << a << ' ' << b;
  }
}

TEST(Spelling, StrangeWordsAreNotMeasured) {
  for (const auto& [typed, word] : {std::pair("abcdef", "abcxyz"), {"abcdef", "defabc"}, {"ab", "xyz"}})
    EXPECT_FALSE(EditDistance(typed).may_be_within(word, 2)) << typed << ' ' << word;
  EXPECT_FALSE(EditDistance("abcdef").may_be_within("abcdxy", 1));
}

TEST(Spelling, CommonEditsCostLess) {
  const auto penalty = [](const char* typed, const char* word) { return edit_cost(typed, word, 2).penalty; };
  EXPECT_EQ(penalty("word", "word"), 0);
  for (const auto& [typed, word] : {std::pair("helo", "hello"),
                                    {"untill", "until"},
                                    {"dont", "don't"},
                                    {"freind", "friend"},
                                    {"email", "e-mail"}})
    EXPECT_LE(penalty(typed, word), kCommonEditPenalty) << typed;
  for (const auto& [typed, word] : {std::pair("hullo", "hello"), {"hfllo", "hello"}, {"hell", "hello"}})
    EXPECT_GT(penalty(typed, word), kCommonEditPenalty) << typed;
  EXPECT_LT(penalty("seperate", "separate"), penalty("seprate", "separate")) << "vowel for vowel";
  EXPECT_LT(penalty("wprd", "word"), penalty("wqrd", "word")) << "the key beside it";
}

/// Owns what PublicWords points to.
struct OwnedWords {
  explicit OwnedWords(const std::vector<std::string>& list) {
    for (const std::string& word : list) {
      lengths.push_back(static_cast<std::uint8_t>(word.size()));
      letters += word;
      frequencies.push_back(static_cast<std::int16_t>(5000 - frequencies.size()));
    }
  }
  std::vector<std::uint8_t> lengths;
  std::string letters;
  std::vector<std::int16_t> frequencies;
  PublicWords words() const { return {lengths, letters, frequencies}; }
};

TEST(PublicWords, FindsItsWordsAndNoOthers) {
  std::mt19937 random(3);
  std::set<std::string> distinct;
  while (distinct.size() < 5000) distinct.insert(random_word(random, 48, 2));
  const OwnedWords owned({distinct.begin(), distinct.end()});
  const PublicWords words = owned.words();
  EXPECT_FALSE(words.has_repeated_word());
  WordNumber number = 0;
  for (const std::string& word : distinct) ASSERT_EQ(words.find(word), number++) << word;
  for (int round = 0; round < 100'000; ++round) {
    const std::string other = random_word(random, 20, 2);
    ASSERT_EQ(words.find(other) != kNoWord, distinct.contains(other)) << other;
  }
  EXPECT_EQ(words.find(""), kNoWord);
  EXPECT_TRUE(OwnedWords({"than", "thaw", "than"}).words().has_repeated_word());
}

TEST(Spelling, TheIndexFindsWhatAllWordsGive) {
  std::mt19937 random(2);
  std::set<std::string> distinct;
  while (distinct.size() < 3000) distinct.insert(random_word(random, 12, 4));
  const OwnedWords owned({distinct.begin(), distinct.end()});
  const PublicWords words = owned.words();
  const SpellingIndex index(words);
  std::size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    const std::string typed = random_word(random, 14, 4);
    for (const int edits : {1, 2}) {
      std::set<WordNumber> expected;
      for (WordNumber number = 0; number < words.size(); ++number) {
        const std::string_view word = words.word(number);
        if (word[0] != typed[0] || reference_distance(typed, word) != edits) continue;
        const std::size_t length = typed.size();
        const int penalty = edit_cost(typed, word, 2).penalty;
        const int surplus = words.frequency(number) - penalty;
        const bool two = length >= 8 || (length >= 6 && surplus >= 3 * kBit);
        const bool three = word.size() >= 3 && penalty <= 5 * kBit;
        const bool one = length >= 6 || (length == 5 && surplus >= 3 * kBit) ||
                         (length == 4 && surplus >= 8 * kBit) ||
                         (length == 3 && surplus >= 8 * kBit && three);
        if (edits == 1 ? one : two) expected.insert(number);
      }
      testing::on_every_target([&](const char* target) {
        const std::vector<WordNumber> corrections = index.corrections(typed, edits);
        ASSERT_EQ(std::set(corrections.begin(), corrections.end()), expected)
            << typed << ' ' << edits << ' ' << target;
      });
      found += expected.size();
    }
  }
  EXPECT_GT(found, 1000U) << "the test compares something";
}

TEST(Spelling, FrequenciesDecide) {
  const OwnedWords owned({"than", "thane", "thaw"});
  const PublicWords words = owned.words();
  EXPECT_EQ(SpellingIndex(words).corrections("thann", 1), std::vector<WordNumber>({0, 1}));
}

}  // namespace
}  // namespace sotto
