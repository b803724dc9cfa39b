#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "embed/import_fixture.hpp"
#include "embed/nearest.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;
using testing::bytes_of;
using testing::expect_error;
using testing::ImportTest;
using Words = std::vector<std::string>;

constexpr std::string_view kGlove = "the 0.5 -0.25 1\nof 0.125 2 -1e-2\nété -0 +0.5 3.5\n";
constexpr std::string_view kWord2vecText = "3 3\nthe 0.5 -0.25 1 \nof 0.125 2 -1e-2 \nété -0 +0.5 3.5 \n";

std::string word2vec_binary(bool line_ends) {
  std::string file = "3 3\n";
  const float values[] = {0.5F, -0.25F, 1, 0.125F, 2, -1e-2F, 0, 0.5F, 3.5F};
  const char* words[] = {"the", "of", "été"};
  for (std::size_t i = 0; i < 3; ++i) {
    file += std::string(words[i]) + " ";
    for (std::size_t c = 0; c < 3; ++c) file += bytes_of(values[3 * i + c]);
    if (line_ends) file += '\n';
  }
  return file;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3));
  return packed;
}

std::string xz(std::string_view content) {
  std::string packed(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(content.data()),
                          content.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size,
                          packed.size());
  packed.resize(size);
  return packed;
}

TEST_F(ImportTest, AllFormatsGiveTheSameModel) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"GloVe text", std::string(kGlove)},
      {"GloVe text", "the\t0.5\t-0.25\t1\r\nof 0.125 2 -1e-2\r\nété -0 +0.5 3.5"},
      {"word2vec text", std::string(kWord2vecText)},
      {"word2vec binary", word2vec_binary(true)},
      {"word2vec binary", word2vec_binary(false)}};
  const std::string digest = import(kGlove)->digest();
  for (const auto& [format, content] : files) {
    for (const std::string& packed : {content, gzip(content), zstd(content), xz(content)}) {
      ImportReport report;
      const auto model = import(packed, &report);
      EXPECT_EQ(report.format, format);
      EXPECT_EQ(report.words, 3U);
      EXPECT_EQ(report.dimension, 3U);
      EXPECT_EQ(words_of(*model), (Words{"the", "of", "été"}));
      EXPECT_EQ(model->digest(), digest);
    }
  }
}

TEST_F(ImportTest, JoinedArchivesAreReadToTheEnd) {
  const std::string first(kGlove.substr(0, 20));
  const std::string second(kGlove.substr(20));
  EXPECT_EQ(words_of(*import(gzip(first) + gzip(second))), (Words{"the", "of", "été"}));
  EXPECT_EQ(words_of(*import(zstd(first) + zstd(second))), (Words{"the", "of", "été"}));
  EXPECT_EQ(words_of(*import(xz(first) + xz(second))), (Words{"the", "of", "été"}));
}

TEST_F(ImportTest, RoundsToTheNearestMultipleOfTheScale) {
  for (const int bits : {8, 16}) {
    ImportOptions given = options(kGlove);
    given.bits = bits;
    ImportReport report;
    const auto model = import(given, &report);
    EXPECT_EQ(model->bits(), bits);
    EXPECT_EQ(model->scale(), report.scale);
    const double expected[] = {0.5, -0.25, 1, 0.125, 2, -1e-2F, 0, 0.5, 3.5};
    double largest_error = 0;
    for (TokenId word = 0; word < 3; ++word) {
      double squared = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double error = value(*model, word, c) - expected[3 * word + c];
        // Half a unit, plus the rounding of the division.
        EXPECT_LE(std::abs(error), report.scale * (0.5 + 1e-9)) << word << ' ' << c;
        squared += error * error;
      }
      largest_error = std::max(largest_error, std::sqrt(squared));
    }
    EXPECT_DOUBLE_EQ(report.largest_error, largest_error);
    if (bits == 8) {
      EXPECT_DOUBLE_EQ(report.scale, 3.5 / 127);
    }
  }
}

TEST_F(ImportTest, NormsAndEntriesUseTheWholeRangeAndNoMore) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (const std::size_t dimension : {1, 2, 50, 300}) {
    std::string text;
    for (int word = 0; word < 60; ++word) {
      text += fmt::format("w{}", word);
      for (std::size_t c = 0; c < dimension; ++c) text += fmt::format(" {}", normal(generator));
      text += '\n';
    }
    const auto model = import(text);
    std::int64_t largest_norm = 0;
    int largest_value = 0;
    for (TokenId word = 0; word < 60; ++word) {
      std::int64_t norm = 0;
      for (const std::int16_t x : model->vectors16().subspan(word * dimension, dimension)) {
        norm += std::int64_t{x} * x;
        largest_value = std::max(largest_value, std::abs(int{x}));
      }
      largest_norm = std::max(largest_norm, norm);
    }
    EXPECT_LE(largest_norm, kLargestNorm * kLargestNorm);
    EXPECT_LE(largest_value, 32767);
    // One of the two bounds is met, up to rounding.
    EXPECT_TRUE(largest_value == 32767 || std::sqrt(static_cast<double>(largest_norm)) >
                                              46340 - std::sqrt(static_cast<double>(dimension)));
  }
}

TEST_F(ImportTest, TiesRoundToEven) {
  // With 8 bits the scale is 127/127 = 1.
  ImportOptions given = options("a 127 0.5 1.5 2.5 -0.5 -1.5\n");
  given.bits = 8;
  const auto model = import(given);
  const std::vector<std::int8_t> expected = {127, 0, 2, 2, 0, -2};
  EXPECT_EQ(std::vector<std::int8_t>(model->vectors8().begin(), model->vectors8().end()), expected);
}

TEST_F(ImportTest, TinyAndHugeNumbers) {
  // Below the smallest float: zero. At the largest: kept.
  const auto model = import("a 1e-60 3e38\nb 1e-500 -3e38\n");
  EXPECT_EQ(value(*model, 0, 0), 0);
  EXPECT_NEAR(value(*model, 1, 1), -3e38, 1e34);
}

TEST_F(ImportTest, LimitKeepsTheFirstWords) {
  ImportOptions given = options(kGlove);
  given.limit = 2;
  EXPECT_EQ(words_of(*import(given)), (Words{"the", "of"}));
  given.limit = 100;
  EXPECT_EQ(import(given)->size(), 3U);
}

TEST_F(ImportTest, VocabularyGivesOrderAndCounts) {
  ImportOptions given = options(kGlove);
  given.vocabulary = write("vocabulary", "été\t7\nabsent\t5\nthe\t3\n");
  ImportReport report;
  const auto model = import(given, &report);
  EXPECT_EQ(words_of(*model), (Words{"été", "the"}));
  EXPECT_EQ(report.missing, 1U);
  EXPECT_EQ(std::vector<std::uint64_t>(model->counts().begin(), model->counts().end()),
            (std::vector<std::uint64_t>{7, 3}));
  EXPECT_NEAR(value(*model, 0, 2), 3.5, report.scale);
  EXPECT_NEAR(value(*model, 1, 0), 0.5, report.scale);
  given.limit = 1;
  EXPECT_EQ(words_of(*import(given)), (Words{"été"}));
  given.vocabulary = write("vocabulary", "of\nthe\r\n");
  given.limit = 0;
  const auto without_counts = import(given);
  EXPECT_EQ(words_of(*without_counts), (Words{"of", "the"}));
  EXPECT_TRUE(without_counts->counts().empty());
}

TEST_F(ImportTest, MetadataIsKept) {
  ImportOptions given = options(kGlove);
  given.metadata = {{"source", "a \"quoted\" text"}, {"licence", "PDDL — été"}};
  const std::vector<std::pair<std::string, std::string>> expected = {{"licence", "PDDL — été"},
                                                                     {"source", "a \"quoted\" text"}};
  EXPECT_EQ(import(given)->metadata(), expected);
  for (const char* key : {"sha256", "scale", "format", "version", "list_sources"}) {
    given.metadata = {{key, "x"}};
    expect_error(import_vectors(given), Errc::invalid_argument, {key});
  }
  given.metadata = {{"k", "\xFF"}};
  expect_error(import_vectors(given), Errc::invalid_argument, {"UTF-8"});
  given.metadata = {{"k", "1"}, {"k", "2"}};
  expect_error(import_vectors(given), Errc::invalid_argument, {"'k'", "twice"});
}

TEST_F(ImportTest, WordsWithBlanksAreLeftOutWhereTheyAreClear) {
  ImportReport report;
  const auto model = import("the 1 2\nat name@domain.com 3 4\n. . . 5 6\nof 7 8\n", &report);
  EXPECT_EQ(words_of(*model), (Words{"the", "of"}));
  EXPECT_EQ(report.skipped, 2U);
  const auto counted = import("3 2\nthe 1 2\nat last 3 4\nof 7 8\n", &report);
  EXPECT_EQ(report.skipped, 1U);
}

// Published files contain such words; a model with them would not open.
TEST_F(ImportTest, WordsWithControlCharactersAreLeftOut) {
  ImportReport report;
  const auto model = import("the 1 2\na\xC2\x85z 3 4\nx\x01y 5 6\n\xE2\x80\xA8 5 6\nof 7 8\n", &report);
  EXPECT_EQ(words_of(*model), (Words{"the", "of"}));
  EXPECT_EQ(report.skipped, 3U);
}

TEST_F(ImportTest, ProgressCanStopTheImport) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += fmt::format("w{} 1 2\n", i);
  ImportOptions given = options(text);
  int calls = 0;
  given.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    EXPECT_EQ(total, text.size());
    return ++calls < 3;
  };
  expect_error(import_vectors(given), Errc::interrupted, {"vectors"});
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(std::filesystem::exists(given.output));
}

TEST_F(ImportTest, ExportAndImportAgain) {
  std::mt19937 generator(4);
  std::normal_distribution<double> normal;
  std::string text;
  for (int word = 0; word < 40; ++word) {
    text += fmt::format("été{}", word);
    for (int c = 0; c < 7; ++c) text += fmt::format(" {:.5f}", normal(generator));
    text += '\n';
  }
  for (const int bits : {8, 16}) {
    ImportOptions given = options(text);
    given.bits = bits;
    const auto original = import(given);
    for (const auto format : {ExportFormat::word2vec_text, ExportFormat::word2vec_binary}) {
      ASSERT_TRUE(export_vectors(*original, path("exported"), format));
      ImportOptions again;
      again.vectors = path("exported");
      again.output = path("again.safetensors");
      again.bits = bits;
      ImportReport report;
      const auto copy = import(again, &report);
      EXPECT_EQ(report.format, format == ExportFormat::word2vec_text ? "word2vec text" : "word2vec binary");
      EXPECT_EQ(words_of(*copy), words_of(*original));
      for (TokenId word = 0; word < 40; ++word) {
        for (std::size_t c = 0; c < 7; ++c) {
          // Half a unit of the new scale, plus the rounding of the exported value to a float.
          const double exact = value(*original, word, c);
          EXPECT_LE(std::abs(value(*copy, word, c) - exact), report.scale * 0.5 + std::abs(exact) * 0x1p-23);
        }
      }
    }
  }
}

TEST_F(ImportTest, ExportWritesShortestFloats) {
  // 8 bits and a largest value of 127: scale 1, so the numbers are whole.
  ImportOptions given = options("a 127 -3\nb 0 5\n");
  given.bits = 8;
  const auto model = import(given);
  ASSERT_TRUE(export_vectors(*model, path("text"), ExportFormat::word2vec_text));
  std::ifstream text(path("text"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(text), {}), "2 2\na 127 -3\nb 0 5\n");
  ASSERT_TRUE(export_vectors(*model, path("binary"), ExportFormat::word2vec_binary));
  std::ifstream binary(path("binary"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(binary), {}),
            "2 2\na " + bytes_of(127.0F) + bytes_of(-3.0F) + "\nb " + bytes_of(0.0F) + bytes_of(5.0F) + "\n");
}

}  // namespace
}  // namespace sotto
