#include "pipeline/records/record_layout.hpp"

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;

FileOptions over(const std::vector<std::string>& inputs) {
  FileOptions files;
  files.inputs.assign(inputs.begin(), inputs.end());
  files.fields = {"t"};
  return files;
}

TEST(RecordLayout, ExtensionsTellTheFormat) {
  const std::vector<std::pair<std::string, Format>> cases = {
      {"a.csv", Format::csv},      {"a.CSV", Format::csv},      {"a.csv.gz", Format::csv},
      {"a.tsv.zst", Format::tsv},  {"a.json", Format::json},    {"a.Json.xz", Format::json},
      {"a.jsonl", Format::jsonl},  {"a.ndjson", Format::jsonl}, {"dir.csv/a.jsonl.gz", Format::jsonl},
      {"a.csv.old", Format::text}, {"csv", Format::text},       {"a.txt.gz", Format::text},
  };
  for (const auto& [name, format] : cases) {
    FileOptions files = over({name});
    if (format == Format::text) files.fields.clear();
    EXPECT_EQ(make_layout(files)->format, format) << name;
  }
  FileOptions standard_input;
  EXPECT_EQ(make_layout(standard_input)->format, Format::text);
}

TEST(RecordLayout, InputsOfSeveralKindsAreRefused) {
  EXPECT_TRUE(make_layout(over({"a.csv", "b.CSV", "c.csv.gz"})));
  for (const std::string other : {"b.txt", "b.tsv", "b", "b.json", "-"})
    expect_error(make_layout(over({"a.csv", other})), Errc::invalid_argument, "format",
                 {"a.csv looks like csv", other + " like"});
  FileOptions stated = over({"a.csv", "b.txt"});
  stated.format = Format::csv;
  EXPECT_TRUE(make_layout(stated)) << "whoever states the format knows";
}

TEST(RecordLayout, RefusesWhatDoesNotFitTheFormat) {
  const auto refuses = [](const FileOptions& files, const std::string& parameter) {
    expect_error(make_layout(files), Errc::invalid_argument, parameter, {});
  };
  FileOptions files = over({"a.jsonl"});
  files.delimiter = ';';
  refuses(files, "delimiter");
  files = over({"a.csv"});
  files.delimiter = 'x';
  refuses(files, "delimiter");
  files = over({"a.tsv"});
  files.delimiter = ';';
  refuses(files, "delimiter");
  files = over({"a.json"});
  files.no_header = true;
  refuses(files, "no_header");
  files = over({"a.csv"});
  files.no_header = true;
  refuses(files, "field");
  files = over({"a.txt"});
  refuses(files, "field");
  files.fields.clear();
  files.missing = MissingField::skip;
  refuses(files, "missing");
  files = over({"a.json"});
  files.ledger.emplace().subject_field = "/t";
  refuses(files, "subject_field");
  files.ledger->subject_field = "/a/*";
  refuses(files, "subject_field");
  files.ledger->subject_field = "/a/~";
  refuses(files, "subject_field");
}

}  // namespace
}  // namespace sotto
