// Compares the counter, with much memory and with little, to one that keeps every n-gram in a map.
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"
#include "text/letter_case.hpp"

namespace sotto {
namespace {

using testing::expect_error;

/// N-grams as their words joined by blanks. Follows the definition, with sentences from split_sentences() and
/// n-grams from adjacent word tokens, and none of the counter's shortcuts.
struct BruteForce {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::vector<std::string>> words;
  std::uint64_t total = 0;

  void add(const std::string& document) {
    std::vector<Token> tokens;
    tokenize(document, tokens);
    for (const TokenRange& sentence : split_sentences(document, tokens))
      for (std::uint32_t first = sentence.first; first < sentence.last; ++first) {
        std::vector<std::string> ngram;
        for (std::uint32_t i = first; i < sentence.last && i < first + 3; ++i) {
          if (tokens[i].token_class != TokenClass::word) break;
          ngram.push_back(
              text::lookup_form(document.substr(tokens[i].begin, tokens[i].end - tokens[i].begin)));
          std::string joined = ngram[0];
          for (std::size_t k = 1; k < ngram.size(); ++k) joined.append(" ").append(ngram[k]);
          ++counts[joined];
          words[joined] = ngram;
        }
        total += ngram.empty() ? 0 : 1;
      }
  }

  double pmi(const std::string& ngram) const {
    double score = std::log2(static_cast<double>(counts.at(ngram)));
    for (const std::string& word : words.at(ngram)) score -= std::log2(static_cast<double>(counts.at(word)));
    return score + static_cast<double>(words.at(ngram).size() - 1) * std::log2(static_cast<double>(total));
  }

  std::string lines() const {
    std::string all;
    for (const auto& [ngram, count] : counts) all += ngram + "\t" + std::to_string(count) + "\n";
    return all;
  }
  std::uint64_t distinct(std::size_t length) const {
    std::uint64_t number = 0;
    for (const auto& entry : words) number += entry.second.size() == length ? 1 : 0;
    return number;
  }
};

/// Words with a Zipf-like distribution, some with apostrophes, hyphens and non-ASCII letters, some long.
std::string random_corpus(std::size_t documents, unsigned seed) {
  std::mt19937 random(seed);
  const auto word = [&] {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    auto rank = static_cast<std::uint64_t>(std::exp(u * std::log(20000)));
    const char* ends[] = {"", "", "", "'s", "-like", "é", "internationalizations", "\u2019ll"};
    std::string text;
    for (; rank > 0; rank /= 26) text += static_cast<char>('a' + rank % 26);
    if (random() % 9 == 0) text[0] = static_cast<char>(text[0] - 32);
    return text + ends[random() % 50 < 42 ? 0 : random() % 8];
  };
  std::string corpus;
  for (std::size_t i = 0; i < documents; ++i) {
    const std::size_t length = random() % 60;
    for (std::size_t k = 0; k < length; ++k) {
      corpus += word();
      const char* gaps[] = {" ",  " ",  " ",    " ",  " ",  " ",           " ",
                            ", ", ". ", " 17 ", "  ", "! ", " http://x.y "};
      corpus += gaps[random() % 13];
    }
    corpus += '\n';
  }
  return corpus;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Count : public testing::FolderTest {
 protected:
  CountOptions options() {
    CountOptions options;
    options.inputs = {folder_.path() / "corpus.txt"};
    options.output = folder_.path() / "phrases.safetensors";
    options.threads = 2;
    return options;
  }
  std::string read(const std::filesystem::path& file) { return base::read_file(file).value(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }
};

TEST_F(Count, EqualsBruteForceInMemoryAndSpilled) {
  const std::string corpus = random_corpus(6000, 3);
  write("corpus.txt", corpus);
  BruteForce expected;
  for (const std::string& document : lines_of(corpus)) expected.add(document);

  std::optional<std::string> table;
  std::uint64_t spilled = 0;
  for (const std::uint64_t memory : {std::uint64_t{1} << 40, std::uint64_t{1} << 20})
    for (const unsigned threads : {1U, 2U, 4U}) {
      CountOptions run = options();
      run.memory = memory;
      run.threads = threads;
      run.min_count = 3;
      run.connectors = ConnectorRule::any;
      run.counts = folder_.path() / "counts.tsv";
      const auto with_counts = count_collocations(run);
      ASSERT_TRUE(with_counts) << with_counts.error().message;
      ASSERT_EQ(read(*run.counts), expected.lines());
      EXPECT_EQ(with_counts->documents, 6000U);
      EXPECT_EQ(with_counts->words, expected.total);
      EXPECT_EQ(with_counts->distinct_words, expected.distinct(1));
      EXPECT_EQ(with_counts->distinct_bigrams, expected.distinct(2));
      EXPECT_EQ(with_counts->distinct_trigrams, expected.distinct(3));
      if (!table) table = read(run.output);
      ASSERT_EQ(read(run.output), *table);

      run.counts.reset();
      const auto report = count_collocations(run);
      ASSERT_TRUE(report) << report.error().message;
      ASSERT_EQ(read(run.output), *table) << memory << " bytes, " << threads << " threads";
      EXPECT_EQ(report->spilled > 0, memory == std::uint64_t{1} << 20);
      spilled = std::max(spilled, report->spilled);
    }
  EXPECT_GT(spilled, 500000U);
  EXPECT_EQ(files(), 3U) << "temporary files are gone";
}

TEST_F(Count, TheTableHoldsWhatTheFiltersSay) {
  const std::string corpus = random_corpus(3000, 4);
  write("corpus.txt", corpus);
  BruteForce expected;
  for (const std::string& document : lines_of(corpus)) expected.add(document);
  CountOptions run = options();
  run.min_count = 4;
  run.min_pmi = 0.25;
  run.connectors = ConnectorRule::any;
  const auto report = count_collocations(run);
  ASSERT_TRUE(report) << report.error().message;
  const auto table = PhraseTable::open(run.output).value();
  ASSERT_TRUE(table->verify());
  EXPECT_EQ(report->sha256, table->stored_sha256());
  EXPECT_EQ(report->bigrams + report->trigrams, table->size());
  std::size_t found = 0;
  for (const auto& [ngram, count] : expected.counts) {
    std::string joined = ngram;
    std::replace(joined.begin(), joined.end(), ' ', '_');
    const PhraseId id = expected.words[ngram].size() == 1 ? kNoPhrase : table->find(joined);
    const double pmi = expected.pmi(ngram);
    const bool is_phrase = expected.words[ngram].size() > 1 && count >= 4 && pmi >= 0.25;
    const bool on_the_border = std::abs(pmi - 0.25) < 1e-4;
    ASSERT_TRUE(on_the_border || (id != kNoPhrase) == is_phrase) << ngram << " " << pmi;
    if (id == kNoPhrase) continue;
    ++found;
    EXPECT_EQ(table->count(id), count);
    EXPECT_NEAR(table->pmi(id), pmi, 0.5 / 65536 + 1e-9) << ngram;
  }
  EXPECT_EQ(found, table->size());
  EXPECT_GT(found, 100U);
}

TEST_F(Count, ScoresOfEquationsFiveAndSix) {
  // N = 16; "x y z" occurs three times, everything else once.
  write("corpus.txt", "x y z. x y z. x y z. a, b, c, d, e, f, g.\n");
  CountOptions run = options();
  run.min_count = 3;
  run.min_pmi = -10;
  ASSERT_TRUE(count_collocations(run));
  const auto table = PhraseTable::open(run.output).value();
  ASSERT_EQ(table->size(), 3U);
  const double exact = std::log2(16.0 / 3);
  EXPECT_NEAR(table->pmi(table->find("x_y")), exact, 0.5 / 65536 + 1e-9);
  EXPECT_NEAR(table->pmi(table->find("x_y_z")), 2 * exact, 0.5 / 65536 + 1e-9);
  EXPECT_EQ(table->count(table->find("x_y_z")), 3U);
}

TEST_F(Count, ConnectorWords) {
  std::string corpus;
  for (int i = 0; i < 20; ++i) corpus += "certificates of completion. the red fox. cats and dogs and.\n";
  for (int i = 0; i < 400; ++i) corpus += "filler " + std::to_string(i) + " word.\n";
  write("corpus.txt", corpus);
  const auto phrases = [&](ConnectorRule rule) {
    CountOptions run = options();
    run.connectors = rule;
    EXPECT_TRUE(count_collocations(run));
    const auto table = PhraseTable::open(run.output).value();
    std::vector<std::string> all;
    for (PhraseId id = 0; id < table->size(); ++id) all.push_back(table->phrase(id));
    return all;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(phrases(ConnectorRule::none), ElementsAre("red_fox"));
  EXPECT_THAT(phrases(ConnectorRule::inside),
              ElementsAre("cats_and_dogs", "certificates_of_completion", "red_fox"));
  EXPECT_THAT(phrases(ConnectorRule::any),
              ElementsAre("and_dogs", "and_dogs_and", "cats_and", "cats_and_dogs", "certificates_of",
                          "certificates_of_completion", "dogs_and", "of_completion", "red_fox", "the_red",
                          "the_red_fox"));
}

TEST_F(Count, OneWordOverAndOverInLittleMemory) {
  std::string corpus;
  for (int i = 0; i < 100000; ++i) corpus += i % 1000 == 999 ? "a\n" : "a ";
  write("corpus.txt", corpus);
  CountOptions run = options();
  run.memory = 1 << 20;
  run.connectors = ConnectorRule::any;
  run.min_pmi = -5;
  const auto report = count_collocations(run);
  ASSERT_TRUE(report) << report.error().message;
  const auto table = PhraseTable::open(run.output).value();
  ASSERT_EQ(table->size(), 2U);
  EXPECT_EQ(table->count(table->find("a_a")), 100000U - 100);
  EXPECT_EQ(table->count(table->find("a_a_a")), 100000U - 200);
}

TEST_F(Count, EmptyCorpora) {
  for (const char* content : {"", "\n", "\n\n  \n", "12, 13.\n", "one. two. three"}) {
    write("corpus.txt", content);
    CountOptions run = options();
    run.counts = folder_.path() / "counts.tsv";
    const auto report = count_collocations(run);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(PhraseTable::open(run.output).value()->size(), 0U);
    EXPECT_EQ(report->distinct_bigrams, 0U);
  }
}

TEST_F(Count, JsonLinesAndSeveralFiles) {
  CountOptions run = options();
  run.min_count = 1;
  run.min_pmi = -5;
  run.inputs = {write("a.jsonl", "{\"body\": \"new \\u0059ork\"}\n\n{\"x\": 1, \"body\": null}\r\n"),
                write("b.ndjson", "{\"body\": \"new york\"}"), write("c.txt", "new york\r\n{\"body\"}")};
  run.field = "body";
  const auto report = count_collocations(run);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->documents, 4U);
  const auto table = PhraseTable::open(run.output).value();
  EXPECT_EQ(table->count(table->find("new_york")), 3U);
}

// With 17 bytes per line the border of the first block, at 1 MiB, falls between a CR and its LF.
TEST_F(Count, LinesEndInAnyWay) {
  for (const char* line_end : {"\n", "\r", "\r\n"}) {
    std::string corpus;
    for (int i = 0; i < 100'000; ++i) corpus.append("new york is old").append(line_end);
    write("corpus.txt", corpus);
    const auto report = count_collocations(options());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->documents, 100'000U);
    EXPECT_EQ(report->words, 400'000U);
    EXPECT_EQ(report->distinct_bigrams, 3U);
  }
}

TEST_F(Count, BadInputLeavesNothing) {
  CountOptions run = options();
  const auto fails = [&](Errc code, const std::vector<std::string>& parts) {
    expect_error(count_collocations(run), code, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "phrases.safetensors"));
  };
  fails(Errc::not_found, {"corpus.txt"});
  run.inputs = {folder_.path()};
  fails(Errc::io, {"directory"});
  run.inputs = {write("nul.txt", std::string("one\ntwo\0three\n", 14))};
  fails(Errc::bad_format, {"nul.txt", "line 2", "NUL"});
  run.inputs = {write("bad.jsonl", "{\"text\": \"a\"}\n{\"text\": \"a\"\n")};
  fails(Errc::bad_format, {"bad.jsonl", "line 2", "JSON"});
  run.inputs = {write("bad.jsonl", "{\"text\": \"a\"}\n{\"other\": \"a\"}\n")};
  fails(Errc::bad_format, {"line 2", "no field 'text'"});
  run.inputs = {write("bad.jsonl", "{\"text\": 7}\n")};
  fails(Errc::bad_format, {"line 1", "'text' is not a string"});
  run.inputs = {write("good.txt", "a b\n")};
  run.output = folder_.path() / "missing" / "p";
  fails(Errc::not_found, {"missing"});
  run.output = run.inputs[0];
  fails(Errc::invalid_argument, {"output: ", "good.txt"});
  run.output = folder_.path() / "phrases.safetensors";
  run.counts = run.inputs[0];
  fails(Errc::invalid_argument, {"counts: ", "good.txt"});
  run.counts.reset();
  run.memory = 1000;
  fails(Errc::invalid_argument, {"memory: ", "1M"});
  run.memory = 1 << 20;
  run.metadata = {{"words", "many"}};
  fails(Errc::invalid_argument, {"metadata: ", "words"});
}

TEST_F(Count, InvalidUtf8CountsAsAnUnknownSymbol) {
  write("corpus.txt", "new york new\xffyork new york\n");
  CountOptions run = options();
  run.min_count = 1;
  run.min_pmi = -5;
  const auto report = count_collocations(run);
  ASSERT_TRUE(report) << report.error().message;
  const auto table = PhraseTable::open(run.output).value();
  EXPECT_EQ(table->count(table->find("new_york")), 2U);
}

TEST_F(Count, ProgressCanInterrupt) {
  write("corpus.txt", random_corpus(3000, 5));
  for (const int calls : {0, 3, 12}) {
    CountOptions run = options();
    run.memory = 1 << 20;
    int left = calls;
    run.progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, total);
      return left-- > 0;
    };
    expect_error(count_collocations(run), Errc::interrupted, {});
    EXPECT_EQ(files(), 1U);
  }
}

}  // namespace
}  // namespace sotto
