#include "pipeline/record_syntax.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

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
  EXPECT_EQ(first_record(data, Format::csv, false), 8U);
  EXPECT_EQ(whole_records(data, Format::tsv, false).records, 6U);  // TSV has no quotes
}

// Cutting the data anywhere and scanning again gives the same records: chunks do not depend on read sizes.
TEST(RecordSyntax, AnyPrefixHoldsWholeRecordsOnly) {
  const std::string data = "x,\"1\n2\",y\nplain,row,3\n\"q\"\"\n\",,\n,,\n";
  std::vector<std::size_t> borders = {0};
  while (borders.back() < data.size())
    borders.push_back(borders.back() +
                      first_record(std::string_view(data).substr(borders.back()), Format::csv, true));
  EXPECT_EQ(borders.size(), 5U);
  for (std::size_t cut = 0; cut <= data.size(); ++cut) {
    const RecordExtent extent = whole_records(std::string_view(data).substr(0, cut), Format::csv, false);
    EXPECT_EQ(borders.at(extent.records), extent.bytes) << cut;
  }
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

TEST(RecordSyntax, LineEndsOfBothKindsAreTaken) {
  EXPECT_EQ(without_line_end("a\r\n"), "a");
  EXPECT_EQ(without_line_end("a\n"), "a");
  EXPECT_EQ(without_line_end("a"), "a");
}

}  // namespace
}  // namespace sotto
