#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/compressed_input.hpp"
#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Files : public PipelineTest {
 protected:
  /// About 3 MB, so that several chunks are in flight at once; lines of very different lengths.
  std::string many_lines() const {
    std::string text;
    for (std::size_t i = 0; text.size() < 3'000'000; ++i) {
      for (std::size_t j = 0; j < i % 40; ++j)
        text += words_[(i * 31 + j * 7) % words_.size()] + (j % 9 == 8 ? ". " : " ");
      if (i % 1000 == 999) text += std::string(20'000, 'x');
      text += "\n";
    }
    return text;
  }
};

TEST_F(Files, ThreadsDoNotMatter) {
  write("in.txt", many_lines());
  FileOptions one = files("in.txt", "one.txt");
  one.threads = 1;
  const std::string expected = run(options(), one);
  EXPECT_EQ(std::ranges::count(expected, '\n'), std::ranges::count(many_lines(), '\n'));
  for (const unsigned threads : {2U, 8U}) {
    FileOptions many = files("in.txt", "many.txt");
    many.threads = threads;
    EXPECT_EQ(run(options(), many), expected) << threads;
  }
}

TEST_F(Files, ShardsPutTogetherEqualTheWhole) {
  write("in.txt", many_lines());
  const std::string whole = run(options(), files("in.txt", "whole.txt"));
  for (const std::uint32_t count : {2U, 3U, 7U}) {
    std::string together;
    for (std::uint32_t index = 1; index <= count; ++index) {
      FileOptions part = files("in.txt", "part.txt");
      part.shard = {index, count};
      together += run(options(), part);
    }
    EXPECT_EQ(together, whole) << count;
  }
}

TEST_F(Files, ShardsOfCsvAndOfSeveralFilesEqualTheWhole) {
  std::string csv = "id,text\n";
  for (int i = 0; i < 2000; ++i) csv += std::to_string(i) + ",\"the soup\nwas, \"\"cold\"\"\"\n";
  write("a.csv", csv);
  write("b.csv", "id,text\n9,the waiter\n");
  const auto with = [&](Shard shard) {
    FileOptions part = files("a.csv", "part.csv");
    part.inputs.push_back(path("b.csv"));
    part.fields = {"text"};
    part.shard = shard;
    return run(options(), part);
  };
  const std::string whole = with({1, 1});
  EXPECT_EQ(with({1, 3}) + with({2, 3}) + with({3, 3}), whole);
  EXPECT_EQ(whole.substr(0, 8), "id,text\n");
}

TEST_F(Files, MoreShardsThanRecordsLeaveSomeEmpty) {
  write("in.txt", "the soup\nwas cold");
  std::string together;
  for (std::uint32_t index = 1; index <= 9; ++index) {
    FileOptions part = files("in.txt", "part.txt");
    part.shard = {index, 9};
    together += run(options(), part);
  }
  EXPECT_EQ(together, run(options(), files("in.txt", "whole.txt")));
}

TEST_F(Files, WithIdsTheOrderOfRecordsDoesNotMatter) {
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i)
    lines.push_back("{\"id\": " + std::to_string(i) +
                    ", \"text\": \"the soup was cold and the waiter was bad\"}\n");
  std::string forward, backward;
  for (const std::string& line : lines) forward += line, backward = line + backward;
  write("forward.jsonl", forward);
  write("backward.jsonl", backward);
  const auto outputs = [&](const std::string& name) {
    FileOptions with_ids = files(name, "out.jsonl");
    with_ids.fields = {"text"};
    with_ids.id_field = "id";
    with_ids.dataset = "reviews";
    std::istringstream stream(run(options(), with_ids));
    std::multiset<std::string> set;
    for (std::string line; std::getline(stream, line);) set.insert(line);
    return set;
  };
  const auto expected = outputs("forward.jsonl");
  EXPECT_EQ(outputs("backward.jsonl"), expected);
  EXPECT_EQ(std::set<std::string>(expected.begin(), expected.end()).size(), 500U);
}

TEST_F(Files, TheSameTextOnTwoLinesGetsTwoDraws) {
  write("in.txt", "the soup was cold the soup was cold\nthe soup was cold the soup was cold\n");
  const std::string out = run(options(0.1), files("in.txt", "out.txt"));
  const std::size_t line_end = out.find('\n');
  EXPECT_NE(out.substr(0, line_end), out.substr(line_end + 1, line_end));
}

TEST_F(Files, LineEndsAndAByteOrderMarkAreKept) {
  write("in.txt", "\xEF\xBB\xBFsoup\r\n\r\n\nsoup");
  const std::string out = run(options(1e6), files("in.txt", "out.txt"));
  EXPECT_EQ(out, "\xEF\xBB\xBFSoup\r\n\r\n\nSoup");
}

TEST_F(Files, ACompressedFileIsTheSameData) {
  write("in.txt", "the soup was cold\nand the waiter bad\n");
  const std::string expected = run(options(), files("in.txt", "out.txt"));
  {
    auto packed = base::AtomicFile::create(path("in.txt.xz")).value();
    ASSERT_TRUE(packed.write(read("in.txt")));
    ASSERT_TRUE(packed.commit());
  }
  EXPECT_EQ(run(options(), files("in.txt.xz", "out.txt")), expected);
  ASSERT_TRUE(privatize_files(options(), files("in.txt.xz", "out.gz")));
  EXPECT_EQ(base::read_content(path("out.gz")).value(), expected);
}

TEST_F(Files, AnotherEncodingIsTheSameText) {
  write("in.txt", "the soup was cold\ncaf\xC3\xA9\n");
  const std::string expected = run(options(), files("in.txt", "out.txt"));
  write("in.txt", "the soup was cold\ncaf\xE9\n");
  FileOptions latin = files("in.txt", "out.txt");
  latin.encoding = "latin-1";
  EXPECT_EQ(run(options(), latin), expected);  // no word of the model has an accent
  latin.output_encoding = "utf-16be";
  std::string wide;
  for (const char c : expected) wide += std::string(1, '\0') + c;
  EXPECT_EQ(run(options(), latin), wide);
  latin.encoding = "klingon";
  EXPECT_EQ(privatize_files(options(), latin).error().parameter, "encoding");
}

TEST_F(Files, AnEmptyFileGivesAnEmptyFile) {
  write("in.txt", "");
  EXPECT_EQ(run(options(), files("in.txt", "out.txt")), "");
}

TEST_F(Files, FailuresLeaveNoOutputAndNameTheRecord) {
  write("in.txt", "soup\n" + std::string(100, 'x') + "\n");
  PrivatizeOptions small = options();
  small.max_document_bytes = 50;
  EXPECT_EQ(
      run_error(small, files("in.txt", "out.txt")),
      path("in.txt").string() + ": record 2: the document has 100 bytes, more than max_document_bytes 50");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}),
            3);  // list set, key, input
}

// Whichever thread is faster, the error of the earliest record is the one reported.
TEST_F(Files, TheFirstErrorIsReported) {
  std::string text = many_lines();
  text[1'500'000] = '\0';
  text[1'900'000] = '\0';
  write("in.txt", text);
  const auto line = std::count(text.begin(), text.begin() + 1'500'000, '\n') + 1;
  for (int repeat = 0; repeat < 5; ++repeat) {
    FileOptions many = files("in.txt", "out.txt");
    many.threads = 8;
    EXPECT_NE(run_error(options(), many).find("record " + std::to_string(line) + ":"), std::string::npos);
  }
}

TEST_F(Files, AnInterruptedRunLeavesNothing) {
  write("in.txt", many_lines());
  FileOptions stopped = files("in.txt", "out.txt");
  stopped.progress = [](std::uint64_t done, std::uint64_t) { return done < 1'000'000; };
  const auto result = privatize_files(options(), stopped);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::interrupted);
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(Files, AnInputIsNeverOverwritten) {
  write("in.txt", "soup");
  const auto result = privatize_files(options(), files("in.txt", "in.txt"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::invalid_argument);
  EXPECT_EQ(read("in.txt"), "soup");
}

TEST_F(Files, CountsAddUpWhateverTheThreads) {
  write("in.txt", many_lines());
  std::vector<std::string> receipts;
  for (const unsigned threads : {1U, 8U}) {
    FileOptions counted = files("in.txt", "out.txt");
    counted.threads = threads;
    Receipt receipt = privatize_files(options(), counted).value();
    EXPECT_EQ(receipt.counts.documents, static_cast<std::uint64_t>(std::ranges::count(many_lines(), '\n')));
    receipt.seconds = 0;
    receipts.push_back(to_json(receipt));
  }
  EXPECT_EQ(receipts[0], receipts[1]);
}

}  // namespace
}  // namespace sotto
