#include "evaluate/experiment/dataset.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluate/experiment/table_reader.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;
using Strings = std::vector<std::string>;

class DatasetTest : public testing::FolderTest {
 protected:
  Result<Table> table(const std::string& name, Format format, bool header = true, const Strings& names = {},
                      const TableHints& hints = {}) const {
    return read_table(folder_.path() / name, format, header, names, hints);
  }
  static DatasetEntry entry() {
    DatasetEntry entry;
    entry.name = "numbers";
    entry.text = entry.privatize = {"text"};
    entry.label = "label";
    entry.splits = {{"train", "rows.csv", Format::csv, true, {}, TextPreparation::none, "", 0},
                    {"validation", "", Format::csv, true, {}, TextPreparation::none, "train", 0.2},
                    {"test", "", Format::csv, true, {}, TextPreparation::none, "train", 0.1}};
    return entry;
  }
  void write_rows(std::size_t count) const {
    std::string rows = "text,label,who\n";
    for (std::size_t i = 0; i < count; ++i)
      rows += fmt::format("text {},{},{}\n", i, i % 3, i % 2 == 0 ? "ann" : "bob");
    write("rows.csv", rows);
  }
};

TEST_F(DatasetTest, TablesOfAllFormatsAreTheSame) {
  write("a.csv", "\xEF\xBB\xBFtext,label\r\n\"a, \"\"b\"\"\nc\",1\r\nplain,2\r\n\r\n");
  write("a.tsv", "text\tlabel\n\"a\"\t1\nplain\t2");
  write("a.jsonl", "{\"text\": \"a, \\\"b\\\"\\nc\", \"label\": 1}\n\n{\"label\": 2, \"text\": \"plain\"}\n");
  const Table csv = table("a.csv", Format::csv).value();
  EXPECT_EQ(csv.names, (Strings{"text", "label"}));
  EXPECT_EQ(csv.rows, (std::vector<Strings>{{"a, \"b\"\nc", "1"}, {"plain", "2"}}));
  EXPECT_EQ(table("a.tsv", Format::tsv)->rows, (std::vector<Strings>{{"\"a\"", "1"}, {"plain", "2"}}));
  const Table json = table("a.jsonl", Format::jsonl).value();
  EXPECT_EQ(json.rows[0][json.column("text").value()], "a, \"b\"\nc");
  EXPECT_EQ(json.rows[1][json.column("label").value()], "2");
  const Table bare = table("a.tsv", Format::tsv, false, {"x", "y"}).value();
  EXPECT_EQ(bare.rows.size(), 3U);
  EXPECT_EQ(bare.column("y").value(), 1U);
}

TEST_F(DatasetTest, TheDelimiterIsFoundOrGiven) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string rows = "id;text\n1;\"a, b\"\n";
    std::replace(rows.begin(), rows.end(), ';', delimiter);
    write("a.csv", rows);
    const Table found = table("a.csv", Format::csv, true, {}, {std::nullopt, {"text"}}).value();
    EXPECT_EQ(found.rows, (std::vector<Strings>{{"1", "a, b"}})) << delimiter;
  }
  write("a.csv", "id:text\n1:a\n");
  EXPECT_EQ(table("a.csv", Format::csv, true, {}, {':', {"text"}})->rows, (std::vector<Strings>{{"1", "a"}}));
  write("a.csv", "1;a\n");
  EXPECT_EQ(table("a.csv", Format::csv, false, {"x", "y"}, {';', {}})->rows,
            (std::vector<Strings>{{"1", "a"}}));
}

TEST_F(DatasetTest, JsonMayBeAnArrayAndColumnsMayBePointers) {
  const TableHints hints = {std::nullopt, {"/review/body", "label", "/tags/1"}};
  const std::string first = R"({"review": {"body": "a"}, "label": 1, "tags": ["x", "y"]})";
  const std::string second = R"({"review": {"body": "b"}, "label": 2, "tags": ["z", 3]})";
  const std::vector<std::pair<Format, std::string>> files = {
      {Format::jsonl, first + "\n" + second + "\n"},
      {Format::json, "[" + first + ",\n" + second + "]\n"},
      {Format::jsonl, " [" + first + ", " + second + "]"},
      {Format::json, first + " " + second}};
  for (const auto& [format, content] : files) {
    write("a.json", content);
    const Table read = table("a.json", format, true, {}, hints).value();
    ASSERT_EQ(read.rows.size(), 2U) << content;
    EXPECT_EQ(read.rows[1][read.column("/review/body").value()], "b");
    EXPECT_EQ(read.rows[1][read.column("label").value()], "2");
    EXPECT_EQ(read.rows[1][read.column("/tags/1").value()], "3");
  }
  write("empty.jsonl", "{}\n{\"text\": \"a\"}\n");
  const Table empty = table("empty.jsonl", Format::jsonl).value();
  EXPECT_EQ(empty.rows, (std::vector<Strings>{{}, {}})) << "the first object has no columns";
  write("open.json", "[" + first);
  expect_error(table("open.json", Format::json, true, {}, hints), Errc::bad_format, {"not closed"});
  write("other.jsonl", first + "\n{\"review\": {}, \"label\": 1, \"tags\": [1, 2]}\n");
  expect_error(table("other.jsonl", Format::jsonl, true, {}, hints), Errc::bad_format,
               {"line 2", "'/review/body'"});
  write("stray.csv", "a,b\n\"1,2\n\"3\",4\n");
  expect_error(table("stray.csv", Format::csv), Errc::bad_format, {"record 2", "closing quote"});
}

TEST_F(DatasetTest, BrokenTablesAreNamed) {
  write("a.csv", "text,label\na,1\nb\n");
  expect_error(table("a.csv", Format::csv), Errc::bad_format, {"record 3", "1 columns instead of 2"});
  write("a.jsonl", "{\"text\": \"a\"}\n[1]\n");
  expect_error(table("a.jsonl", Format::jsonl), Errc::bad_format, {"line 2", "JSON object"});
  write("b.jsonl", "{\"text\": \"a\"}\n{\"txt\": \"a\"}\n");
  expect_error(table("b.jsonl", Format::jsonl), Errc::bad_format, {"line 2", "'text'"});
  write("b.csv", "text,label\na,1\n");
  expect_error(table("b.csv", Format::csv)->column("txt"), Errc::bad_format, {"'txt'", "text, label"});
}

TEST_F(DatasetTest, SplitsShareNoRowAndLoseNone) {
  write_rows(100);
  DatasetRequest request;
  request.splits = {"train", "validation", "test"};
  request.columns = {"who"};
  request.seed = 5;
  const DatasetSplits splits = load_dataset(entry(), folder_.path(), request).value();
  EXPECT_EQ(splits.at("train").size(), 70U);
  EXPECT_EQ(splits.at("validation").size(), 20U);
  EXPECT_EQ(splits.at("test").size(), 10U);
  std::set<std::string> seen;
  for (const auto& [name, split] : splits)
    for (std::size_t i = 0; i < split.size(); ++i) {
      const std::string& text = split.texts[0][i];
      EXPECT_TRUE(seen.insert(text).second) << text;
      const std::size_t row = std::stoul(text.substr(5));
      EXPECT_EQ(split.labels[i], fmt::format("{}", row % 3)) << "labels stay with their texts";
      EXPECT_EQ(split.columns.at("who")[i], row % 2 == 0 ? "ann" : "bob");
    }
  EXPECT_EQ(seen.size(), 100U);
  // A split loaded alone has the same rows as when loaded with the others.
  DatasetRequest single = request;
  single.splits = {"test"};
  EXPECT_EQ(load_dataset(entry(), folder_.path(), single)->at("test").digest, splits.at("test").digest);
}

TEST_F(DatasetTest, SamplesDependOnTheSeedAlone) {
  write_rows(1000);
  DatasetRequest request;
  request.splits = {"train"};
  request.rows = {{"train", 50}};
  request.seed = 1;
  const DataSplit first = load_dataset(entry(), folder_.path(), request)->at("train");
  const DataSplit again = load_dataset(entry(), folder_.path(), request)->at("train");
  request.seed = 2;
  const DataSplit other = load_dataset(entry(), folder_.path(), request)->at("train");
  EXPECT_EQ(first.size(), 50U);
  EXPECT_EQ(first.texts, again.texts);
  EXPECT_EQ(first.digest, again.digest);
  EXPECT_NE(first.texts, other.texts);
  std::size_t last = 0;
  std::size_t upper_half = 0;
  for (const std::string& text : first.texts[0]) {
    const std::size_t row = std::stoul(text.substr(5));
    EXPECT_GE(row, last) << "in the order of the file";
    last = row;
    upper_half += row >= 500 ? 1 : 0;
  }
  // n = 50 of 1000 rows without replacement: P(0 or 50 from one half) < 1e-14.
  EXPECT_GT(upper_half, 0U);
  EXPECT_LT(upper_half, 50U);
}

TEST_F(DatasetTest, RowsAreKeptByValueAndAbsenceIsNamed) {
  write_rows(10);
  DatasetEntry about = entry();
  about.keep = {{"who", {"bob"}}};
  about.splits.resize(1);
  DatasetRequest request;
  request.splits = {"train"};
  const DataSplit split = load_dataset(about, folder_.path(), request)->at("train");
  EXPECT_EQ(split.texts[0], (Strings{"text 1", "text 3", "text 5", "text 7", "text 9"}));
  about.keep = {{"who", {"eve"}}};
  expect_error(load_dataset(about, folder_.path(), request), Errc::bad_format, {"no row"});
  about.splits[0].path = "none.csv";
  expect_error(load_dataset(about, folder_.path(), request), Errc::not_found, {"none.csv"});
  request.splits = {"dev"};
  expect_error(load_dataset(entry(), folder_.path(), request), Errc::not_found, {"'dev'"});
}

TEST_F(DatasetTest, PreparesTextsAsTheComparativeAnalysis) {
  EXPECT_EQ(prepare_text("The Soup,<br /><br />at 7 o'clock, WAS cold!", TextPreparation::words),
            "soup o'clock cold");
  EXPECT_EQ(prepare_text("The Soup,<br />", TextPreparation::none), "The Soup,<br />");
}

TEST_F(DatasetTest, WordListsHaveClassesAndNoComments) {
  write("good", "; a comment\n\nfine\t3\ngreat\nfine\n");
  write("bad", "awful\ngreat\n");
  const LabelledWords list = load_word_list({{{"good", "good"}, {"bad", "bad"}}, ""}, folder_.path()).value();
  EXPECT_EQ(list.words, (Strings{"fine", "great", "awful"}));
  EXPECT_EQ(list.classes, (Strings{"good", "good", "bad"}));
}

}  // namespace
}  // namespace sotto
