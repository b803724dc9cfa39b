// A document is the same however its record ends, and its line end is preserved.
#include <random>

#include <gtest/gtest.h>

#include "pipeline/records/record_reader.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

/// How a format writes one text as a record, without its line end.
struct Dialect {
  const char* name;
  std::string header;
  std::string (*record)(int number, const std::string& text);
};

void PrintTo(const Dialect& dialect, std::ostream* out) {
  *out << dialect.name;
}

class LineEndsTest : public PipelineTest, public ::testing::WithParamInterface<Dialect> {
 protected:
  static constexpr int kRecords = 30'000;

  static int occurrences(const std::string& text, std::string_view part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }

  /// About 1.5 MB, several chunks. `line_end` is called for each record.
  template <class Choice>
  std::string input(Choice line_end) const {
    std::string data = GetParam().header.empty() ? "" : GetParam().header + line_end();
    for (int i = 0; i < kRecords; ++i) {
      const std::string& word = words_[static_cast<std::size_t>(i) % words_.size()];
      data += GetParam().record(i, "the soup was cold " + word) + line_end();
    }
    return data;
  }

  FileOptions over(const std::string& content) const {
    write("in", content);
    FileOptions with = files("in", "out");
    with.format = parse_format(GetParam().name).value();
    if (*with.format != Format::text) with.fields = {"text"};
    with.threads = 3;
    return with;
  }

  /// Replaces every line end by a bar; this data has none inside quotes.
  static std::string with_bars(const std::string& data) {
    std::string bars;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data[i] == '\r' && i + 1 < data.size() && data[i + 1] == '\n') ++i;
      bars += data[i] == '\r' || data[i] == '\n' ? '|' : data[i];
    }
    return bars;
  }

  static std::string line_ends_of(const std::string& data) {
    std::string ends;
    for (const char byte : data)
      if (byte == '\r' || byte == '\n') ends += byte;
    return ends;
  }
};

TEST_P(LineEndsTest, AllKindsGiveTheSameTexts) {
  const std::string expected = run(options(), over(input([] { return "\n"; })));
  // Other words become these by chance once in thousands of records; copied, they would be in all of them.
  EXPECT_LT(occurrences(expected, "the soup was cold"), kRecords / 1000);
  for (const char* line_end : {"\r", "\r\n"}) {
    const std::string out = run(options(), over(input([&] { return line_end; })));
    EXPECT_EQ(with_bars(out), with_bars(expected));
    EXPECT_EQ(line_ends_of(out).substr(0, 2), std::string(line_end) + (line_end[1] != 0 ? "" : line_end));
  }
}

TEST_P(LineEndsTest, MixedOnesComeOutAsTheyWentIn) {
  std::mt19937 draw(1);
  const std::string data = input([&] { return std::array{"\n", "\r", "\r\n"}[draw() % 3]; });
  const std::string out = run(options(), over(data));
  EXPECT_EQ(line_ends_of(out), line_ends_of(data));
  EXPECT_EQ(with_bars(out), with_bars(run(options(), over(input([] { return "\n"; })))));
}

TEST_P(LineEndsTest, ShardsAndInterruptionsDoNotMatter) {
  for (const char* line_end : {"\r", "\r\n"}) {
    const std::string data = input([&] { return line_end; });
    const std::string whole = run(options(), over(data));
    std::string together;
    for (std::uint32_t index = 1; index <= 7; ++index) {
      FileOptions part = over(data);
      part.shard = {index, 7};
      together += run(options(), part);
    }
    EXPECT_EQ(together, whole);
    FileOptions resumed = over(data);
    resumed.output = path("resumed");
    resumed.resume = true;
    resumed.progress = [](std::uint64_t done, std::uint64_t) { return done == 0; };  // one chunk
    for (int i = 0; i < 2; ++i) expect_error(privatize_files(options(), resumed), Errc::interrupted, {});
    resumed.progress = nullptr;
    EXPECT_EQ(run(options(), resumed), whole);
    std::filesystem::remove(path("resumed"));
  }
}

class ReadSizes : public FolderTest {};

// However few bytes are read at once, even between a CR and its LF or inside the byte order mark, the chunks
// hold the same whole records.
TEST_F(ReadSizes, DoNotMatter) {
  const std::string data = "a\r\nb\r\r\n\"c\r\",\r\nlonger\n\rd\r";
  for (const auto& [format, count] : {std::pair(Format::text, 8U), std::pair(Format::csv, 7U)})
    for (std::size_t size = 1; size <= data.size(); ++size) {
      RecordReader::Options options;
      options.inputs = {
          write("in", "\xEF\xBB\xBF" + std::string(format == Format::csv ? "header\r\n" : "") + data)};
      options.format = format;
      options.max_record_bytes = 1000;
      options.chunk_bytes = size;
      RecordReader reader = RecordReader::open(options).value();
      std::string together;
      std::uint64_t records = 0;
      for (Chunk chunk; reader.next(chunk).value();) {
        EXPECT_EQ(chunk.begin.record, records);
        records = chunk.end.record;
        together += chunk.data.view();
        EXPECT_EQ(whole_records(chunk.data.view(), format, true).bytes, chunk.data.size());
        EXPECT_EQ(chunk.head->header(), format == Format::csv ? "header\r\n" : "");
        EXPECT_TRUE(chunk.head->preamble.starts_with("\xEF\xBB\xBF"));
      }
      EXPECT_EQ(together, data) << size;
      EXPECT_EQ(records, count) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, LineEndsTest,
                         ::testing::Values(Dialect{"text", "",
                                                   [](int, const std::string& text) { return text; }},
                                           Dialect{"jsonl", "",
                                                   [](int number, const std::string& text) {
                                                     return "{\"n\":" + std::to_string(number) +
                                                            ",\"text\":\"" + text + "\"}";
                                                   }},
                                           Dialect{"csv", "n,text,city",
                                                   [](int number, const std::string& text) {
                                                     return std::to_string(number) + ",\"" + text + "\",Rome";
                                                   }},
                                           Dialect{"tsv", "n\ttext",
                                                   [](int number, const std::string& text) {
                                                     return std::to_string(number) + "\t" + text;
                                                   }}),
                         [](const auto& dialect) { return dialect.param.name; });

}  // namespace
}  // namespace sotto
