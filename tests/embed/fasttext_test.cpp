// fastText models written byte by byte; the expected vectors come from an independent, plain implementation
// of the n-gram rule.
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "embed/import_fixture.hpp"

namespace sotto {
namespace {

using testing::bytes_of;
using testing::ImportTest;

struct FasttextModel {
  std::int32_t version = 12;
  std::int32_t dimension = 3;
  std::int32_t buckets = 50;
  std::int32_t shortest = 2;
  std::int32_t longest = 4;
  std::vector<std::pair<std::string, std::int64_t>> words = {{"</s>", 90}, {"the", 80},    {"été", 70},
                                                             {"a", 60},    {"日本語", 50}, {"aaaa", 40}};
  std::vector<std::string> labels = {"__label__x"};
  std::int64_t pruned = -1;
  bool quantized = false;
  std::int64_t extra_rows = 0;

  std::vector<std::vector<float>> matrix() const {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> rows(words.size() + static_cast<std::size_t>(buckets + extra_rows));
    for (auto& row : rows)
      for (std::int32_t i = 0; i < dimension; ++i) row.push_back(normal(generator));
    return rows;
  }

  std::string bytes() const {
    std::string file = bytes_of(std::int32_t{793712314}) + bytes_of(version);
    for (const std::int32_t field : {dimension, 5, 5, 1, 5, 1, 2, 2, buckets, shortest, longest, 100})
      file += bytes_of(field);
    file += bytes_of(1e-4);
    const auto word_count = static_cast<std::int32_t>(words.size());
    const auto label_count = static_cast<std::int32_t>(labels.size());
    file += bytes_of(word_count + label_count) + bytes_of(word_count) + bytes_of(label_count);
    file += bytes_of(std::int64_t{1000}) + bytes_of(pruned);
    for (const auto& [word, count] : words) file += word + '\0' + bytes_of(count) + bytes_of(std::int8_t{0});
    for (const std::string& label : labels)
      file += label + '\0' + bytes_of(std::int64_t{1}) + bytes_of(std::int8_t{1});
    file += quantized ? '\1' : '\0';
    const auto rows = matrix();
    file += bytes_of(static_cast<std::int64_t>(rows.size())) + bytes_of(std::int64_t{dimension});
    for (const auto& row : rows)
      for (const float x : row) file += bytes_of(x);
    return file + "the output matrix is not read";
  }
};

std::uint32_t plain_hash(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    // fastText converts through a signed byte, so bytes from 0x80 up set the upper 24 bits.
    const auto byte = static_cast<unsigned char>(c);
    hash = (hash ^ (byte < 0x80 ? byte : byte | 0xFFFFFF00U)) * 16777619U;
  }
  return hash;
}

// All substrings of the characters of "<word>" with an allowed length.
std::vector<std::uint32_t> plain_buckets(const std::string& word, const FasttextModel& model) {
  std::vector<std::string> characters;
  for (const char c : "<" + word + ">") {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80)
      characters.back() += c;
    else
      characters.emplace_back(1, c);
  }
  std::vector<std::uint32_t> buckets;
  const int count = static_cast<int>(characters.size());
  for (int first = 0; first < count; ++first) {
    for (int last = first; last < count; ++last) {
      const int length = last - first + 1;
      if (length < model.shortest || length > model.longest) continue;
      if (length == 1 && (first == 0 || last == count - 1)) continue;
      std::string ngram;
      for (int i = first; i <= last; ++i) ngram += characters[static_cast<std::size_t>(i)];
      buckets.push_back(plain_hash(ngram) % static_cast<std::uint32_t>(model.buckets));
    }
  }
  return buckets;
}

class FasttextTest : public ImportTest {
 protected:
  void expect_vectors(const FasttextModel& given) {
    ImportReport report;
    ImportOptions whole = options(given.bytes());
    whole.keep_non_words = true;
    const auto model = import(whole, &report);
    EXPECT_EQ(report.format, "fastText binary");
    ASSERT_EQ(model->size(), given.words.size());
    const auto rows = given.matrix();
    for (TokenId id = 0; id < model->size(); ++id) {
      EXPECT_EQ(model->word(id), given.words[id].first);
      EXPECT_EQ(model->counts()[id], static_cast<std::uint64_t>(given.words[id].second));
      std::vector<std::uint32_t> parts = {id};
      if (given.words[id].first != "</s>" && given.longest > 0 && given.pruned != 0)
        for (const std::uint32_t bucket : plain_buckets(given.words[id].first, given))
          parts.push_back(static_cast<std::uint32_t>(given.words.size()) + bucket);
      for (std::size_t c = 0; c < static_cast<std::size_t>(given.dimension); ++c) {
        double sum = 0;
        double magnitude = 0;
        for (const std::uint32_t part : parts) {
          sum += static_cast<double>(rows[part][c]);
          magnitude += std::abs(static_cast<double>(rows[part][c]));
        }
        // Half a unit, plus the rounding of one float addition per part.
        EXPECT_LE(std::abs(value(*model, id, c) - sum / static_cast<double>(parts.size())),
                  report.scale * 0.5 + magnitude * 0x1p-23)
            << given.words[id].first;
      }
    }
  }
};

TEST_F(FasttextTest, HashIsFnv1aForAscii) {
  // Published test vectors of 32-bit FNV-1a, since the reader is checked against this hash.
  EXPECT_EQ(plain_hash("a"), 0xE40C292CU);
  EXPECT_EQ(plain_hash("foobar"), 0xBF9CF968U);
}

TEST_F(FasttextTest, WordVectorsAreMeansOverSubwords) {
  expect_vectors({});
  FasttextModel single;
  single.shortest = 1;
  single.longest = 1;
  expect_vectors(single);
  FasttextModel wide;
  wide.shortest = 3;
  wide.longest = 6;
  wide.buckets = 7;  // collisions: a bucket counts once per n-gram that falls into it
  wide.extra_rows = 4;
  expect_vectors(wide);
}

TEST_F(FasttextTest, WithoutSubwordsARowIsTheVector) {
  FasttextModel plain;
  plain.longest = 0;
  expect_vectors(plain);
  plain = {};
  plain.pruned = 0;
  expect_vectors(plain);
}

TEST_F(FasttextTest, LimitAndVocabulary) {
  const FasttextModel given;
  ImportOptions chosen = options(given.bytes());
  chosen.keep_non_words = true;
  const auto all = import(chosen);
  chosen.output = path("some.safetensors");
  chosen.limit = 3;
  EXPECT_EQ(words_of(*import(chosen)), (std::vector<std::string>{"</s>", "the", "été"}));
  chosen.keep_non_words = false;
  EXPECT_EQ(words_of(*import(chosen))[0], "the") << "a marker is no word";
  chosen.keep_non_words = true;
  chosen.limit = 0;
  chosen.vocabulary = write("vocabulary", "日本語\nthe\n");
  const auto some = import(chosen);
  EXPECT_EQ(words_of(*some), (std::vector<std::string>{"日本語", "the"}));
  EXPECT_EQ(some->counts()[0], 50U);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(value(*some, 0, c), value(*all, 4, c), (some->scale() + all->scale()) / 2 + 1e-7);
}

TEST_F(FasttextTest, RefusesWhatItCannotRead) {
  const auto refused = [&](const std::function<void(FasttextModel&)>& change,
                           const std::vector<std::string>& parts) {
    FasttextModel model;
    change(model);
    expect_refused(model.bytes(), parts);
  };
  refused([](auto& m) { m.quantized = true; }, {"quantized", ".ftz"});
  refused([](auto& m) { m.pruned = 5; }, {"pruned or quantized", ".ftz"});
  refused([](auto& m) { m.version = 11; }, {"version 11"});
  refused([](auto& m) { m.dimension = 0; }, {"dimension 0"});
  refused([](auto& m) { m.words.push_back({"the", 1}); }, {"dictionary entry 7", "second time"});
  refused([](auto& m) { m.words[1].first = "\xFF"; }, {"dictionary entry 2", "UTF-8"});
  refused([](auto& m) { m.words[1].second = -4; }, {"dictionary entry 2", "count -4"});
  refused([](auto& m) { m.extra_rows = -1; }, {"matrix of 55", "56 × 3"});
  // Without a limit, a word of 20,000 characters would have 200 million n-grams, most of them thousands long.
  refused([](auto& m) { m.words[1].first = std::string(20'000, 'a'), m.longest = 1'000'000; },
          {"n-grams of up to 1000000", "at most 64"});
  refused([](auto& m) { m.words.clear(); }, {"dictionary of 0 words"});
  const std::string whole = FasttextModel().bytes();
  expect_refused(whole.substr(0, 30), {"ends inside the arguments at byte 30"});
  expect_refused(whole.substr(0, 100), {"ends inside the dictionary"});
  expect_refused(whole.substr(0, 300), {"ends inside the vector of"});
}

}  // namespace
}  // namespace sotto
