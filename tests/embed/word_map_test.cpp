#include "embed/word_map.hpp"

#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "embed/unknown/subword_vectors.hpp"
#include "embed/unknown/word_map_file.hpp"
#include "support/every_target.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/word_map_builder.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;
using testing::expect_error;
using testing::RawFile;
using testing::small_word_map;

struct Found {
  WordPath path;
  std::vector<std::string> offered;
};

/// What is offered if only `wanted` is accepted; the first candidate if it is empty.
Found find(const WordMap& map, std::string_view token, std::string_view wanted = {}) {
  Found found{WordPath::none, {}};
  found.path = map.find(token, [&](std::string_view word) {
    found.offered.emplace_back(word);
    return wanted.empty() || word == wanted;
  });
  return found;
}

class WordMapTest : public ::testing::Test {
 protected:
  std::shared_ptr<const WordMap> open(const testing::SmallWordMap& map) {
    return WordMap::open(testing::write_word_map(folder_.path() / "map.safetensors", map)).value();
  }
  Result<std::shared_ptr<const WordMap>> open(const RawFile& raw) {
    testing::write_bytes(folder_.path() / "raw.safetensors", raw.bytes());
    return WordMap::open(folder_.path() / "raw.safetensors");
  }
  testing::TemporaryFolder folder_;
};

TEST_F(WordMapTest, EachPath) {
  const auto map = open(small_word_map());
  struct PathCase {
    const char* token;
    const char* word;
    WordPath path;
  };
  const PathCase cases[] = {
      {"Löve", "love", WordPath::folded},          {"soooo", "so", WordPath::folded},
      {"toooo", "too", WordPath::folded},          {"LUV", "love", WordPath::folded},
      {"e-mail", "email", WordPath::folded},       {"hugging", "hug", WordPath::folded},
      {"Fridays", "friday", WordPath::folded},     {"ThrowbackFriday", "throwback", WordPath::folded},
      {"xyz_friday", "friday", WordPath::folded},  {"comming", "coming", WordPath::corrected},
      {"recieve", "receive", WordPath::corrected}, {"teh", "the", WordPath::corrected},
      {"hte", "the", WordPath::corrected},         {"dont", "don't", WordPath::corrected},
      {"fridaylove", "love", WordPath::subword},   {"receivingly", "receive", WordPath::subword},
  };
  for (const PathCase& c : cases) {
    const Found found = find(*map, c.token);
    ASSERT_EQ(found.offered.size(), 1U) << c.token;
    EXPECT_EQ(found.offered[0], c.word) << c.token;
    EXPECT_EQ(found.path, c.path) << c.token;
  }
}

TEST_F(WordMapTest, NoPlace) {
  const auto map = open(small_word_map());
  for (const char* token :
       {"", "@love", "http://love.the", "love@the.so", "love4", "привет", "😀", "#", "qqqzzz"}) {
    const Found found = find(*map, token);
    EXPECT_EQ(found.path, WordPath::none) << token;
    EXPECT_TRUE(found.offered.empty()) << token << ": a token without a place is never offered a word";
  }
}

// A model that lacks the best word gets the next candidate; in the end every word is offered.
TEST_F(WordMapTest, RejectedCandidatesGiveWayToOthers) {
  const auto map = open(small_word_map());
  EXPECT_EQ(find(*map, "ThrowbackFriday", "friday").path, WordPath::folded);
  EXPECT_EQ(find(*map, "comming", "love").path, WordPath::subword);
  EXPECT_EQ(find(*map, "comming", "absent").path, WordPath::none);
  for (const char* token : {"comming", "soooo", "ThrowbackFriday"}) {
    const Found found = find(*map, token, "absent");
    const std::set<std::string> offered(found.offered.begin(), found.offered.end());
    EXPECT_EQ(offered.size(), small_word_map().words.size()) << token;
  }
}

// The most frequent words are the last that n-grams lead to.
TEST_F(WordMapTest, WordsOfEverySentenceComeLast) {
  const auto map = open(small_word_map());
  const Found found = find(*map, "lovethe", "absent");
  ASSERT_GE(found.offered.size(), 3U);
  EXPECT_EQ(std::set<std::string>(found.offered.end() - 2, found.offered.end()),
            std::set<std::string>({"the", "so"}));
}

TEST_F(WordMapTest, AnswersDependOnNothingElse) {
  const auto map = open(small_word_map());
  const std::vector<const char*> tokens = {"comming", "soooo",           "theology",
                                           "recieve", "ThrowbackFriday", "@x"};
  std::vector<Found> expected;
  for (const char* token : tokens) expected.push_back(find(*map, token, "absent"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t which = (i * static_cast<std::size_t>(t + 1)) % tokens.size();
        EXPECT_EQ(find(*map, tokens[which], "absent").offered, expected[which].offered);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(WordMapTest, TheDigestIsThatOfTheBytes) {
  const std::string digest = open(small_word_map())->digest();
  EXPECT_EQ(open(small_word_map())->digest(), digest);
  testing::SmallWordMap other = small_word_map();
  ++other.frequencies[3];
  EXPECT_NE(open(other)->digest(), digest);
  RawFile raw = testing::raw_word_map(small_word_map());
  raw.header["__metadata__"]["sha256"] = digest;  // what the header claims does not matter
  EXPECT_NE(open(raw).value()->digest(), digest);
}

TEST_F(WordMapTest, DamagedFiles) {
  struct DamagedCase {
    const char* message;
    std::function<void(RawFile&)> damage;
  };
  const auto set = [](const char* tensor, const char* key, auto value) {
    return [=](RawFile& file) { file.header[tensor][key] = value; };
  };
  const auto byte = [](const char* tensor, std::size_t at, char value) {
    return [=](RawFile& file) {
      file.data[file.header[tensor]["data_offsets"][0].get<std::size_t>() + at] = value;
    };
  };
  const DamagedCase cases[] = {
      {"is not a word map", set("__metadata__", "format", "sotto-model")},
      {"version '1'", set("__metadata__", "version", "1")},
      {"there is no tensor 'words'",
       [](RawFile& file) {
         file.header["letters"] = file.header["words"];
         file.header.erase("words");
       }},
      {"tensor 'lengths' has another type or shape", set("lengths", "dtype", "I8")},
      {"tensor 'word_vectors' has another type or shape", set("word_vectors", "shape", std::vector{22, 16})},
      {"do not add up", byte("lengths", 0, 4)},
      {"not of the letters", byte("words", 0, 'T')},
      {"not of the letters", byte("words", 0, '-')},
      {"not of the letters", byte("words", 1, '\xC3')},
      {"a word's group has no vector", byte("word_groups", 0, 2)},
      {"do not ascend", byte("ngram_hashes", 3, '\xFF')},
      {"line 1 of the abbreviations", byte("abbreviations", 4, 'x')},
      {"line 2 of the abbreviations", byte("abbreviations", 9, 'a')},
  };
  for (const DamagedCase& c : cases) {
    RawFile raw = testing::raw_word_map(small_word_map());
    c.damage(raw);
    expect_error(open(raw), Errc::bad_format, {"raw.safetensors", c.message});
  }
  testing::SmallWordMap repeated = small_word_map();
  repeated.words[3] = "love";
  expect_error(open(testing::raw_word_map(repeated)), Errc::bad_format, {"a word appears twice"});
  expect_error(WordMap::open(folder_.path() / "absent"), Errc::not_found, {"absent"});
}

constexpr WordNumber kRankedWords = 300;  // not a multiple of a block

/// 4-bit vectors; the first two are zero, and two are equal.
std::vector<std::uint8_t> scattered_vectors(std::size_t count, std::uint32_t state) {
  std::vector<std::uint8_t> vectors;
  for (std::size_t i = 0; i < count * kStoredVectorBytes; ++i) {
    state = state * 1664525 + 1013904223;
    vectors.push_back(static_cast<std::uint8_t>(i < 2 * kStoredVectorBytes ? 0x88 : state >> 24));
  }
  std::copy_n(vectors.begin() + 5 * kStoredVectorBytes, kStoredVectorBytes,
              vectors.begin() + 9 * kStoredVectorBytes);
  return vectors;
}

SubwordQuery some_query() {
  SubwordQuery query;
  for (std::size_t i = 0; i < query.size(); ++i)
    query[i] = static_cast<std::int8_t>(static_cast<int>(i * 37 % 63) - 31);
  return query;
}

enum class RankedBy { cosine, product };

/// Numbers of the vectors by cosine, cross-multiplied in the plainest way, or by product.
std::vector<WordNumber> plainly_ranked(const std::vector<std::uint8_t>& vectors, const SubwordQuery& query,
                                       RankedBy by) {
  struct Row {
    std::int64_t product = 0;
    std::int64_t norm = 0;
    WordNumber number = 0;
  };
  std::vector<Row> rows(vectors.size() / kStoredVectorBytes);
  for (WordNumber number = 0; number < rows.size(); ++number) {
    Row& row = rows[number];
    row.number = number;
    for (std::size_t i = 0; i < kSubwordDimension; ++i) {
      const int value = (vectors[number * kStoredVectorBytes + i / 2] >> (i % 2 * 4) & 0xF) - kSubwordOffset;
      row.product += value * query[i];
      row.norm += value * value;
    }
    row.norm = by == RankedBy::product ? 1 : std::max<std::int64_t>(1, row.norm);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.product * std::abs(a.product) * b.norm > b.product * std::abs(b.product) * a.norm;
  });
  std::vector<WordNumber> numbers;
  for (const Row& row : rows) numbers.push_back(row.number);
  return numbers;
}

TEST(SubwordRanking, IsTheExactOrderOfCosinesWithinEachGroupsAtOnce) {
  const std::vector<std::uint8_t> words = scattered_vectors(kRankedWords, 1);
  const SubwordQuery query = some_query();
  const std::vector<WordNumber> ranked_words = plainly_ranked(words, query, RankedBy::cosine);
  // One batch of groups; several, the last one incomplete; some groups without a word.
  for (const std::size_t groups : {1, 24, 57, 256}) {
    const std::vector<std::uint8_t> directions = scattered_vectors(std::max<std::size_t>(groups, 10), 2);
    const std::vector<std::uint8_t> group_vectors(
        directions.begin(), directions.begin() + static_cast<std::ptrdiff_t>(groups * kStoredVectorBytes));
    std::vector<std::uint8_t> word_groups;
    for (WordNumber word = 0; word < kRankedWords; ++word)
      word_groups.push_back(static_cast<std::uint8_t>(word * word % groups));
    const SubwordVectors subwords({{}, {}, words, word_groups, group_vectors});
    const std::vector<WordNumber> ranked_groups = plainly_ranked(group_vectors, query, RankedBy::product);
    testing::on_every_target([&](const char* target) {
      SubwordRanking ranking(subwords, query);
      for (std::size_t first = 0; first < groups; first += SubwordRanking::kGroupsAtOnce) {
        const std::size_t end = std::min(groups, first + SubwordRanking::kGroupsAtOnce);
        const std::set<WordNumber> batch(ranked_groups.begin() + static_cast<std::ptrdiff_t>(first),
                                         ranked_groups.begin() + static_cast<std::ptrdiff_t>(end));
        for (const WordNumber word : ranked_words)
          if (batch.contains(word_groups[word])) {
            ASSERT_EQ(ranking.next(), word) << groups << ' ' << target;
          }
      }
      EXPECT_EQ(ranking.next(), kNoWord);
      EXPECT_EQ(ranking.next(), kNoWord);
    });
  }
}

}  // namespace
}  // namespace sotto
