#include "pipeline/records/record_syntax.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::pipeline;

std::vector<std::string> records_of(std::string_view data, RecordSyntax syntax) {
  std::vector<std::string> records;
  RecordCursor cursor(data, syntax, true);
  for (std::string_view record; cursor.next(record);) records.emplace_back(record);
  return records;
}

std::vector<std::string> records_by_definition(std::string_view data, bool quotes, char delimiter = ',') {
  std::vector<std::string> records;
  std::string record;
  bool field_begins = true;
  bool quoted = false;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const char byte = data[i];
    record += byte;
    if (quotes && byte == '"' && (field_begins || quoted)) {
      const bool doubled = quoted && i + 1 < data.size() && data[i + 1] == '"';
      if (doubled) record += data[++i];
      quoted = doubled || !quoted;
      field_begins = false;
      continue;
    }
    if (quoted) continue;
    field_begins = byte == delimiter;
    if (byte != '\r' && byte != '\n') continue;
    if (byte == '\r' && i + 1 < data.size() && data[i + 1] == '\n') record += data[++i];
    records.push_back(std::exchange(record, {}));
    field_begins = true;
  }
  if (!record.empty()) records.push_back(record);
  return records;
}

/// Any prefix of the data yields only whole records, and those of the full data.
void expect_no_cut_matters(const std::string& data, Format format, std::size_t count) {
  std::vector<std::size_t> borders = {0};
  for (const std::string& record : records_of(data, format))
    borders.push_back(borders.back() + record.size());
  EXPECT_EQ(borders.size(), count + 1);
  for (std::size_t cut = 0; cut <= data.size(); ++cut) {
    const RecordExtent extent = whole_records(std::string_view(data).substr(0, cut), format, false);
    EXPECT_EQ(borders.at(extent.records), extent.bytes) << cut;
    EXPECT_LE(extent.bytes, cut);
    const std::size_t next = std::min<std::size_t>(extent.records + 1, count);
    EXPECT_GE(borders[next], cut) << "only a CR that is the last byte may wait";
  }
}

TEST(RecordSyntax, LinesEndRecords) {
  const RecordExtent open = whole_records("a\nb\nc", Format::text, false);
  EXPECT_EQ(open.bytes, 4U);
  EXPECT_EQ(open.records, 2U);
  const RecordExtent closed = whole_records("a\nb\nc", Format::text, true);
  EXPECT_EQ(closed.bytes, 5U);
  EXPECT_EQ(closed.records, 3U);
  EXPECT_EQ(whole_records("", Format::text, true).records, 0U);
}

TEST(RecordSyntax, QuotedLineEndsBelongToTheField) {
  const std::string_view data = "1,\"a\nb\"\n2,\"c \"\"quoted\"\"\n\"\n3,5\" pipe\n4,\"open\n";
  const RecordExtent extent = whole_records(data, Format::csv, false);
  EXPECT_EQ(extent.records, 3U);
  EXPECT_EQ(data.substr(extent.bytes), "4,\"open\n");
  EXPECT_EQ(whole_records(data, Format::tsv, false).records, 6U);  // TSV has no quotes
}

// Any prefix of the data yields the same records: chunks do not depend on read sizes.
TEST(RecordSyntax, AnyPrefixHoldsWholeRecordsOnly) {
  const std::string data = "x,\"1\n2\",y\nplain,row,3\n\"q\"\"\n\",,\n,,\n";
  expect_no_cut_matters(data, Format::csv, 4);
}

TEST(RecordSyntax, EveryKindOfLineEndEndsARecordWhereverTheDataIsCut) {
  const std::string data = "a\rb\r\nc\nd\r\re\n\rf\r\n\r\ng\r";
  for (const Format format : {Format::text, Format::jsonl, Format::tsv, Format::csv})
    expect_no_cut_matters(data, format, 10);
  EXPECT_EQ(records_of("a\rb\r\nc\nd\r\re\n\rf", Format::text),
            (std::vector<std::string>{"a\r", "b\r\n", "c\n", "d\r", "\r", "e\n", "\r", "f"}));
}

TEST(RecordSyntax, ACarriageReturnInQuotesEndsNothing) {
  const std::string data = "1,\"a\rb\r\n\",x\r2,\"\"\"\r\"\r3,y\r";
  EXPECT_EQ(records_of(data, Format::csv),
            (std::vector<std::string>{"1,\"a\rb\r\n\",x\r", "2,\"\"\"\r\"\r", "3,y\r"}));
  expect_no_cut_matters(data, Format::csv, 3);
}

// The entire rest would be one field.
TEST(RecordSyntax, AnOpenQuoteIsReported) {
  for (const std::string data : {"1,\"a\n2,b\n", "\"", "1,\"a\"\"", "a\n,\"\"\""}) {
    RecordCursor cursor(data, Format::csv, true);
    bool open = false;
    for (std::string_view record; cursor.next(record);) open = cursor.quote_is_open();
    EXPECT_TRUE(open) << data;
    EXPECT_EQ(cursor.position(), data.size());
  }
  RecordCursor closed("1,\"a\"\r", Format::csv, true);
  std::string_view record;
  EXPECT_TRUE(closed.next(record));
  EXPECT_FALSE(closed.quote_is_open());
}

/// Calls `check` with all texts of up to `longest` bytes of the alphabet; returns their number.
template <class Check>
std::size_t for_all_texts(std::string_view alphabet, std::size_t longest, const Check& check) {
  std::size_t texts = 0;
  for (std::size_t length = 0; length <= longest; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= alphabet.size();
    for (std::size_t number = 0; number < count; ++number, ++texts) {
      std::string data;
      for (std::size_t i = 0, rest = number; i < length; ++i, rest /= alphabet.size())
        data += alphabet[rest % alphabet.size()];
      check(data);
    }
  }
  return texts;
}

// Against a byte-by-byte reader, on all short texts over the bytes that matter.
TEST(RecordSyntax, AgreesWithTheDefinition) {
  const std::size_t texts = for_all_texts("a,\"\r\n", 6, [](const std::string& data) {
    for (const Format format : {Format::text, Format::csv})
      ASSERT_EQ(records_of(data, format), records_by_definition(data, format == Format::csv))
          << ::testing::PrintToString(data);
  });
  EXPECT_EQ(texts, 19531U);
}

TEST(RecordSyntax, AgreesWithTheDefinitionForOtherDelimiters) {
  for_all_texts("a,;\"\n", 5, [](const std::string& data) {
    for (const char delimiter : {';', ','})
      ASSERT_EQ(records_of(data, {Format::csv, delimiter}), records_by_definition(data, true, delimiter))
          << ::testing::PrintToString(data);
  });
}

TEST(RecordSyntax, JsonValuesComeWithWhatPrecedesThem) {
  using Records = std::vector<std::string>;
  const std::vector<std::pair<std::string, Records>> cases = {
      {R"({"a":1},{"b":2}])", {R"({"a":1})", R"(,{"b":2})", "]"}},
      {"{}\n{}\n", {"{}", "\n{}", "\n"}},
      {R"( {"a":"}\"{"} , [[]] ])", {R"( {"a":"}\"{"})", " , [[]]", " ]"}},
      {R"(1,"x\\",true ])", {"1", R"(,"x\\")", ",true", " ]"}},
      {R"({"a":"\\"},{}])", {R"({"a":"\\"})", ",{}", "]"}},
      {R"({"open":[)", {R"({"open":[)"}},
      {R"("open\")", {R"("open\")"}},
      {"}}", {"}", "}"}},
      {"", {}},
      {" ] ", {" ] "}},
  };
  for (const auto& [data, records] : cases) EXPECT_EQ(records_of(data, Format::json), records) << data;
}

// On all short texts: the records are the data, and any prefix yields only whole records, and those of the
// full data.
TEST(RecordSyntax, JsonRecordsDoNotDependOnWhereTheDataIsCut) {
  const std::size_t texts = for_all_texts("{}\"\\, ]", 5, [](const std::string& data) {
    std::vector<std::size_t> borders = {0};
    std::string together;
    for (const std::string& record : records_of(data, Format::json)) {
      together += record;
      borders.push_back(together.size());
    }
    ASSERT_EQ(together, data);
    for (std::size_t cut = 0; cut <= data.size(); ++cut) {
      const RecordExtent extent = whole_records(std::string_view(data).substr(0, cut), Format::json, false);
      ASSERT_LT(extent.records, borders.size()) << data;
      ASSERT_EQ(borders[extent.records], extent.bytes) << ::testing::PrintToString(data) << " cut at " << cut;
    }
  });
  EXPECT_EQ(texts, 19608U);
}

// A stray quote swallows what follows up to the next quote, which then is followed by text.
TEST(RecordSyntax, TextAfterAClosingQuoteIsFound) {
  std::vector<std::string_view> fields;
  const auto stray = [&](std::string_view record, char delimiter = ',') {
    return split_record(record, {Format::csv, delimiter}, fields);
  };
  for (const std::string_view sound :
       {"", "a", "\"a\"", "\"a,b\",c", "\"a\"\"b\",", "5\" pipe,x", "\"\",\"\"", "a, \"b\""})
    EXPECT_EQ(stray(sound), std::string_view::npos) << sound;
  EXPECT_EQ(stray("\"a\"b"), 0U);
  EXPECT_EQ(stray("x,\"a\nb,\"c\""), 2U);
  EXPECT_EQ(stray("\"a\" ,b"), 0U);
  EXPECT_EQ(stray("x,\"a\"b,\"c\"d"), 2U) << "the first one";
  EXPECT_EQ(stray("\"a\",b", ';'), 0U);
  EXPECT_EQ(split_record("\"a\"b\tc", Format::tsv, fields), std::string_view::npos);
}

TEST(RecordSyntax, RecordsBeforeAnOffsetAreThoseThatBeginBeforeIt) {
  const std::string_view data = "aa\nbb\ncc\n";
  const auto bytes = [&](std::size_t offset) { return records_before(data, Format::text, offset).bytes; };
  EXPECT_EQ(bytes(0), 0U);
  EXPECT_EQ(bytes(1), 3U);
  EXPECT_EQ(bytes(3), 3U);
  EXPECT_EQ(bytes(4), 6U);
  EXPECT_EQ(bytes(9), 9U);
}

TEST(RecordSyntax, LineEndsOfAllKindsAreTaken) {
  EXPECT_EQ(without_line_end("a\r\n"), "a");
  EXPECT_EQ(without_line_end("a\n"), "a");
  EXPECT_EQ(without_line_end("a\r"), "a");
  EXPECT_EQ(without_line_end("a"), "a");
}

}  // namespace
}  // namespace sotto
