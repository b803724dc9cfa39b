#include "collocation/phrase_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "base/tree_hash.hpp"
#include "collocation/phrase_writer.hpp"
#include "collocation/segment_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::collocation;
using ::testing::ElementsAre;
using testing::expect_error;
using testing::TemporaryFolder;
using testing::write_table;

std::vector<ScoredPhrase> some_phrases() {
  return {{"new_zealand", 8.5, 70},   {"new_york", 7.25, 120}, {"new_york_city", 12, 40},
          {"new-born_child", 5.5, 9}, {"don't_know", 3, 300},  {"naïve_bayes", 9, 12}};
}

TEST(PhraseTable, HoldsWhatWasWritten) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, some_phrases());
  ASSERT_EQ(table->size(), 6U);
  std::vector<std::string> order;
  for (PhraseId id = 0; id < table->size(); ++id) order.push_back(table->phrase(id));
  EXPECT_THAT(order, ElementsAre("don't_know", "naïve_bayes", "new_york", "new_york_city", "new_zealand",
                                 "new-born_child"));
  for (const ScoredPhrase& phrase : some_phrases()) {
    const PhraseId id = table->find(phrase.text);
    ASSERT_NE(id, kNoPhrase) << phrase.text;
    EXPECT_EQ(table->phrase(id), phrase.text);
    EXPECT_EQ(table->pmi(id), phrase.pmi);
    EXPECT_EQ(table->count(id), phrase.count);
  }
  for (const char* missing : {"", "_", "new", "new_", "_york", "new_york_", "york_new", "new_york_zealand",
                              "new_york_city_hall", "New_York", "new york"})
    EXPECT_EQ(table->find(missing), kNoPhrase) << missing;
  EXPECT_TRUE(table->verify());
}

TEST(PhraseTable, FindsExactlyItsPhrasesAmongMany) {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  const auto word = [&] {
    std::string text(1 + random() % 20, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  std::map<std::string, ScoredPhrase> phrases;
  while (phrases.size() < 20000) {
    std::string text = word().append("_").append(word());
    if (random() % 2 == 0) text.append("_").append(word());
    phrases[text] = {text, static_cast<double>(random() % 1000) / 8, random()};
  }
  std::vector<ScoredPhrase> list;
  for (const auto& [text, phrase] : phrases) list.push_back(phrase);
  std::shuffle(list.begin(), list.end(), random);
  const auto table = write_table(folder, list);
  ASSERT_TRUE(table->verify());
  for (const auto& [text, phrase] : phrases) {
    const PhraseId id = table->find(text);
    ASSERT_NE(id, kNoPhrase);
    ASSERT_EQ(table->phrase(id), text);
    ASSERT_EQ(table->pmi(id), phrase.pmi);
    ASSERT_EQ(table->count(id), phrase.count);
  }
  for (int i = 0; i < 20000; ++i) {
    const std::string text = word().append("_").append(word());
    ASSERT_EQ(table->find(text) != kNoPhrase, phrases.contains(text)) << text;
  }
}

TEST(PhraseTable, AnEmptyTableIsATable) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {});
  EXPECT_EQ(table->size(), 0U);
  EXPECT_EQ(table->find("new_york"), kNoPhrase);
  EXPECT_TRUE(table->verify());
  EXPECT_EQ(testing::segment(table, Segmentation::mst, "a b c").tokens.size(), 3U);
}

TEST(PhraseTable, TheOrderGivenDoesNotMatter) {
  const TemporaryFolder folder;
  const std::string first = write_table(folder, some_phrases())->digest();
  auto reversed = some_phrases();
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(write_table(folder, reversed)->digest(), first);
}

TEST(PhraseTable, MetadataIsKept) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "p.safetensors";
  const auto digest = write_phrase_table(file, some_phrases(), {{"source", "tests"}, {"licence", "CC0-1.0"}});
  ASSERT_TRUE(digest);
  const auto table = PhraseTable::open(file);
  ASSERT_TRUE(table);
  EXPECT_EQ((*table)->stored_sha256(), *digest);
  EXPECT_EQ((*table)->digest(), base::tree_hash_file(file).value());
  EXPECT_THAT((*table)->metadata(),
              ElementsAre(std::pair("licence", "CC0-1.0"), std::pair("source", "tests")));
  for (const char* reserved : {"format", "sha256", "phrase_version", ""})
    expect_error(write_phrase_table(file, some_phrases(), {{reserved, "x"}}), Errc::invalid_argument,
                 {"metadata"});
}

TEST(PhraseTable, RefusesWhatIsNoPhrase) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "p.safetensors";
  for (const char* text : {"", "word", "_", "a_", "_a", "a__b", "a_b_c_d", "New_york", "new york_city", "a_7",
                           "a_b2b", "a_\xff", "don\u2019t_know", "a_b."})
    expect_error(write_phrase_table(file, std::vector<ScoredPhrase>{{text, 1, 1}}, {}),
                 Errc::invalid_argument, {});
  expect_error(
      write_phrase_table(file, std::vector<ScoredPhrase>{{"a_b", 1, 1}, {"c_d", 1, 1}, {"a_b", 2, 1}}, {}),
      Errc::invalid_argument, {"phrase 3", "twice"});
  for (const double score : {static_cast<double>(NAN), static_cast<double>(INFINITY), 32768.0, -1e300})
    expect_error(write_phrase_table(file, std::vector<ScoredPhrase>{{"a_b", score, 1}}, {}),
                 Errc::invalid_argument, {"phrase 1", "score"});
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(PhraseTable, ScoresAreRoundedTo16Bits) {
  const TemporaryFolder folder;
  const auto table =
      write_table(folder, {{"a_b", 3.3, 1}, {"a_c", -32767.9999999, 1}, {"a_d", 32767.9999999, 1}});
  EXPECT_EQ(table->pmi(table->find("a_b")), 216269 / 65536.0);
  EXPECT_EQ(table->pmi(table->find("a_c")), -32768);
  EXPECT_EQ(table->pmi(table->find("a_d")), 32768 - 1 / 65536.0);
}

TEST(PhraseTable, APartOfATableInsideAnotherFile) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, some_phrases());
  std::vector<bool> keep(table->size(), false);
  keep[table->find("new_york")] = true;
  keep[table->find("don't_know")] = true;
  const auto parts = select_phrases(*table, keep);
  ASSERT_TRUE(parts);
  PhraseTensors made = make_phrase_tensors(*parts);
  const std::vector<std::uint64_t> own = {1, 2, 3};
  made.tensors.insert(made.tensors.begin(),
                      {"own", base::TensorType::u64, {3}, [&](const base::ByteSink& sink) {
                         return sink(base::as_bytes(std::span(std::as_const(own))));
                       }});
  made.metadata["format"] = "something-else";
  const auto file = folder.path() / "host.safetensors";
  const auto digest = base::write_safetensors(file, made.metadata, made.tensors);
  ASSERT_TRUE(digest);
  const auto inside = PhraseTable::open(file);
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_EQ((*inside)->size(), 2U);
  EXPECT_EQ((*inside)->stored_sha256(), *digest);
  EXPECT_EQ((*inside)->pmi((*inside)->find("new_york")), 7.25);
  EXPECT_EQ((*inside)->count((*inside)->find("don't_know")), 300U);
  EXPECT_EQ((*inside)->find("new_zealand"), kNoPhrase);
  EXPECT_TRUE((*inside)->verify());
}

TEST(PhraseTable, AFileWithoutPhrasesIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "none.safetensors";
  const std::vector<std::uint64_t> own = {1};
  ASSERT_TRUE(
      base::write_safetensors(file, {}, {{"own", base::TensorType::u64, {1}, [&](const base::ByteSink& sink) {
                                            return sink(base::as_bytes(std::span(std::as_const(own))));
                                          }}}));
  expect_error(PhraseTable::open(file), Errc::bad_format, {"none.safetensors", "no phrases"});
  expect_error(PhraseTable::open(folder.path() / "missing"), Errc::not_found, {"missing"});
  std::ofstream(folder.path() / "text") << "new_york 7.5\n";
  expect_error(PhraseTable::open(folder.path() / "text"), Errc::bad_format, {"text"});
}

/// Every damaged byte, truncation or hostile tensor is refused on opening, or harmless and found by verify().
class DamagedTable : public ::testing::Test {
 protected:
  DamagedTable() {
    write_table(folder_, some_phrases());
    bytes_ = base::read_file(folder_.path() / "phrases.safetensors").value();
  }

  /// Opens the bytes as a file, queries everything in the table, and returns whether it passed verify().
  bool survives(const std::string& bytes) {
    const auto file = folder_.path() / "damaged.safetensors";
    std::filesystem::remove(file);  // some file systems wait for the disk when a file is replaced
    std::ofstream(file, std::ios::binary) << bytes;
    const auto table = PhraseTable::open(file);
    if (!table) return false;
    for (const ScoredPhrase& phrase : some_phrases()) (void)(*table)->find(phrase.text);
    for (PhraseId id = 0; id < (*table)->size(); ++id) (void)(*table)->phrase(id);
    for (const Segmentation method : {Segmentation::gst, Segmentation::mst, Segmentation::optimal})
      (void)testing::segment(*table, method,
                             "I don't know the new york city of new zealand's new-born child");
    return (*table)->verify().has_value();
  }

  TemporaryFolder folder_;
  std::string bytes_;
};

TEST_F(DamagedTable, FlippedBytes) {
  ASSERT_TRUE(survives(bytes_));
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes_;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      ASSERT_FALSE(survives(damaged)) << "byte " << i;
    }
}

TEST_F(DamagedTable, Truncated) {
  for (std::size_t size = 0; size < bytes_.size(); ++size)
    ASSERT_FALSE(survives(bytes_.substr(0, size))) << size;
}

/// Content that a matching digest would not reveal: hostile rather than damaged.
TEST_F(DamagedTable, HostileTensors) {
  std::mt19937_64 random(9);
  const std::size_t data = 8 + [&] {
    std::uint64_t header = 0;
    std::memcpy(&header, bytes_.data(), 8);
    return header;
  }();
  // Words are checked on opening, so every second round leaves them alone to get at the rest.
  const std::vector<std::byte> aligned = [&] {
    const auto bytes = std::as_bytes(std::span(bytes_));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }();
  const base::Safetensors parsed = base::parse_safetensors(aligned, "table").value();
  const auto is_of_words = [&](std::size_t i) {
    const auto within = [&](const char* name) {
      const auto bytes = parsed.find(name)->bytes;
      return &aligned[i] >= bytes.data() && &aligned[i] < bytes.data() + bytes.size();
    };
    return within("phrase_words") || within("phrase_word_offsets");
  };
  for (int round = 0; round < 2000; ++round) {
    std::string hostile = bytes_;
    for (std::size_t i = data; i + 4 <= hostile.size(); i += 4) {
      if (random() % 4 != 0 || (round % 2 == 1 && (is_of_words(i) || is_of_words(i + 3)))) continue;
      const std::uint32_t values[] = {0, 1, 5, 0xFFFFFFFF, 0x7FFFFFFF, static_cast<std::uint32_t>(random())};
      std::memcpy(hostile.data() + i, &values[random() % 6], 4);
    }
    (void)survives(hostile);
  }
  // The search must end even if the index has no empty slot.
  std::string full = bytes_;
  for (std::size_t i = data; i < full.size(); ++i)
    if (full[i] == '\xFF') full[i] = '\x00';
  EXPECT_FALSE(survives(full));
}

TEST_F(DamagedTable, WordsThatForgeOutput) {
  const std::size_t at = bytes_.find("new");
  ASSERT_NE(at, std::string::npos);
  const auto file = folder_.path() / "damaged.safetensors";
  const std::map<std::string, std::string> faults = {{"n\tw", "blank"},
                                                     {"n\nw", "blank"},
                                                     {"n\x01w", "control"},
                                                     {"n\xFFw", "UTF-8"},
                                                     {"n\xC2\x85", "control"}};
  for (const auto& [word, fault] : faults) {
    std::string hostile = bytes_;
    std::ofstream(file, std::ios::binary) << hostile.replace(at, 3, word);
    expect_error(PhraseTable::open(file), Errc::bad_format, {fault});
  }
}

}  // namespace
}  // namespace sotto
