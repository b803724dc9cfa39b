#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class LedgeredRun : public PipelineTest {
 protected:
  LedgeredRun() {
    write("in.jsonl",
          "{\"id\": 1, \"who\": \"alice\", \"title\": \"soup\", \"text\": \"the soup was cold\"}\n"
          "{\"id\": 2, \"who\": \"bob\", \"title\": \"\", \"text\": \"good soup, 12.\"}\n"
          "\n"
          "{\"id\": 3, \"who\": \"alice\", \"title\": \"waiter\", \"text\": \"bad waiter\"}\n"
          "{\"id\": 4, \"who\": 7, \"title\": null, \"text\": \"12\"}\n"
          "{\"id\": 5, \"who\": \"alice\", \"title\": null, \"text\": \"cold\"}\n");
  }

  FileOptions ledgered(double limit, const std::string& output = "out.jsonl") const {
    FileOptions with = files("in.jsonl", output);
    with.fields = {"text", "title"};
    with.id_field = "id";
    with.ledger = LedgerOptions{path("ledger"), "who", limit, 10};
    return with;
  }

  std::map<std::string, NanoEpsilon> accounts() const {
    std::map<std::string, NanoEpsilon> spent;
    EXPECT_TRUE(
        Ledger::open(path("ledger")).value()->each_account([&](const LedgerAccount& account) -> Result<void> {
          spent[account.subject + " " + account.unit.substr(0, 7)] = account.spent;
          return {};
        }));
    return spent;
  }

  /// The lines of `text` whose numbers (from 0) are in `lines`.
  static std::string only(const std::string& text, const std::set<int>& lines) {
    std::istringstream stream(text);
    std::string kept, line;
    for (int i = 0; std::getline(stream, line); ++i)
      if (lines.contains(i)) kept += line + "\n";
    return kept;
  }
};

TEST_F(LedgeredRun, ChargesTokensTimesEpsilon) {
  FileOptions without = ledgered(100, "without.jsonl");
  without.ledger.reset();
  const std::string expected = run(options(0.5), without);
  EXPECT_EQ(run(options(0.5), ledgered(100)), expected);
  // alice: 4 + 1, 2 + 1, 1 words; bob: 2; subject 7 has only a number, and uniform digits cost nothing.
  EXPECT_EQ(accounts(), (std::map<std::string, NanoEpsilon>{{"alice epsilon", 4'500'000'000},
                                                            {"bob epsilon", 1'000'000'000}}));
}

TEST_F(LedgeredRun, ARecordOverTheLimitIsLeftOutWhole) {
  const std::string whole = run(options(), ledgered(100, "whole.jsonl"));
  std::filesystem::remove(path("ledger"));
  const Receipt receipt = privatize_files(options(), ledgered(6)).value();  // alice: 5, then 3 more, then 1
  EXPECT_EQ(read("out.jsonl"), only(whole, {0, 1, 2, 4, 5}));
  EXPECT_EQ(receipt.counts.withheld, 1U);
  EXPECT_EQ(receipt.counts.documents, 6U);
  EXPECT_EQ(receipt.counts.privatized, 8U);
  EXPECT_EQ(receipt.ledger->charged_documents, 4U);
  const auto receipt_json = nlohmann::json::parse(to_json(receipt));
  EXPECT_EQ(receipt_json["counts"]["withheld"], 1);
  const auto check = Ledger::open(path("ledger")).value()->verify(receipt.ledger->head).value();
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.pinned_at, receipt.ledger->entries);
  // With a higher limit it is released, and only it is charged.
  const Receipt again = privatize_files(options(), ledgered(9)).value();
  EXPECT_EQ(read("out.jsonl"), whole);
  EXPECT_EQ(again.ledger->charged_documents, 2U);
  EXPECT_EQ(again.ledger->repeated_documents, 4U);
}

TEST_F(LedgeredRun, ARepeatSpendsNothingAndAnotherKeyOrEpsilonSpendsAgain) {
  run(options(), ledgered(100));
  const auto once = accounts();
  run(options(), ledgered(100));
  EXPECT_EQ(accounts(), once);
  write("key", std::string(32, 'o'));
  run(options(), ledgered(100));
  EXPECT_EQ(accounts()["alice epsilon"], 2 * once.at("alice epsilon"));
  run(options(2), ledgered(100));
  EXPECT_EQ(accounts()["alice epsilon"], 4 * once.at("alice epsilon"));
}

TEST_F(LedgeredRun, ARepeatInAnotherFormatSpendsNothing) {
  write("in.jsonl", R"({"id": 1, "who": "alice", "text": "the \"soup\", cold"})");
  write("in.csv", "id,who,text\n1,alice,\"the \"\"soup\"\", cold\"\n");
  FileOptions with = ledgered(100);
  with.fields = {"text"};
  with.dataset = "d";
  EXPECT_EQ(privatize_files(options(), with).value().ledger->charged_documents, 1U);
  with.inputs = {path("in.csv")};
  EXPECT_EQ(privatize_files(options(), with).value().ledger->charged_documents, 0U);
}

TEST_F(LedgeredRun, AnotherSubjectOfTheSameDocumentIsCharged) {
  write("in.jsonl", "{\"id\": 1, \"who\": \"alice\", \"title\": null, \"text\": \"the soup\"}\n");
  run(options(), ledgered(100));
  write("in.jsonl", "{\"id\": 1, \"who\": \"bob\", \"title\": null, \"text\": \"the soup\"}\n");
  run(options(), ledgered(100));
  EXPECT_EQ(accounts().size(), 2U);
}

/// Many records in several chunks, some blank lines, several documents per record.
TEST_F(LedgeredRun, NeitherThreadsNorChunksNorShardsNorResumingMatter) {
  std::string csv = "id,who,text,title\r\n";
  for (int i = 0; csv.size() < 6'000'000; ++i)
    csv += fmt::format("{},u{},\"the soup, {} was cold\n\",good waiter\r\n{}", i, i * 7 % 900,
                       words_[i % 500], i % 50 == 0 ? "\r\n" : "");
  write("in.csv", csv);
  const auto with = [&](const std::string& ledger, double limit) {
    FileOptions files = ledgered(limit, "out.csv");
    files.inputs = {path("in.csv")};
    files.ledger->file = path(ledger);
    return files;
  };
  FileOptions one = with("one", 300);
  one.threads = 1;
  Receipt first = privatize_files(options(), one).value();
  const std::string expected = read("out.csv");
  EXPECT_GT(first.counts.withheld, 1000U);
  FileOptions three = with("three", 300);
  three.threads = 3;
  const Receipt second = privatize_files(options(), three).value();
  EXPECT_EQ(read("out.csv"), expected);
  EXPECT_EQ(second.counts.statistics.changed, first.counts.statistics.changed);
  EXPECT_EQ(second.counts.withheld, first.counts.withheld);
  std::string together;
  for (std::uint32_t shard = 1; shard <= 3; ++shard) {
    FileOptions part = with("shards", 300);
    part.shard = {shard, 3};
    together += run(options(), part);
  }
  EXPECT_EQ(together, expected);

  FileOptions stopped = with("resumed", 300);
  stopped.resume = true;
  stopped.output = path("resumed.csv");
  FileOptions resumed = stopped;
  stopped.progress = [](std::uint64_t done, std::uint64_t) { return done < 3'000'000; };
  expect_error(privatize_files(options(), stopped), Errc::interrupted, {});
  FileOptions other = resumed;
  other.ledger->limit = 301;
  expect_error(privatize_files(options(), other), Errc::invalid_argument, {"other settings"});
  Receipt third = privatize_files(options(), resumed).value();
  EXPECT_EQ(read("resumed.csv"), expected);
  EXPECT_EQ(third.counts.withheld, first.counts.withheld);
  EXPECT_EQ(third.counts.documents, first.counts.documents);
}

TEST_F(LedgeredRun, NothingIsReleasedWhenTheLedgerFails) {
  FileOptions with = ledgered(100);
  std::filesystem::create_directory(path("ledger"));
  expect_error(privatize_files(options(), with), Errc::io, {"ledger"});
  EXPECT_FALSE(exists("out.jsonl"));
}

TEST_F(LedgeredRun, WhatDoesNotGoTogetherIsRefused) {
  const auto refuse = [&](const PrivatizeOptions& how, const FileOptions& with, const std::string& parameter,
                          const std::vector<std::string>& parts) {
    expect_error(privatize_files(how, with), Errc::invalid_argument, parameter, parts);
    EXPECT_FALSE(exists("ledger"));
    EXPECT_FALSE(exists("out.jsonl"));
  };
  PrivatizeOptions how = options();
  how.key_file.reset();
  refuse(how, ledgered(1), "ledger", {"needs key_file"});
  how.seed = 1;
  refuse(how, ledgered(1), "ledger", {"with seed"});
  for (const double limit : {0.0, -1.0, 1e10, std::nan("")}) refuse(options(), ledgered(limit), "limit", {});
  FileOptions with = ledgered(1);
  with.ledger->subject_field = "";
  refuse(options(), with, "subject_field", {"missing"});
  with.ledger->subject_field = "text";
  refuse(options(), with, "subject_field", {"'text'", "also a field"});
  with = ledgered(1);
  with.format = Format::text;
  with.fields.clear();
  with.id_field.clear();
  refuse(options(), with, "subject_field", {"text has no fields"});
  for (const std::string name : {"in.jsonl", "key", "out.jsonl"}) {
    with = ledgered(1);
    with.ledger->file = path(name);
    refuse(options(), with, name == "out.jsonl" ? "output" : "ledger", {"also"});
  }
}

TEST_F(LedgeredRun, ARecordWithoutASubjectIsNamed) {
  for (const std::string who :
       {"", "\"who\": null,", "\"who\": \"\",", "\"who\": {},", "\"who\": \"a\", \"who\": 2,"}) {
    write("in.jsonl", "{\"id\": 1, \"who\": \"a\", \"title\": null, \"text\": \"soup\"}\n{" + who +
                          "\"id\": 2, \"title\": null, \"text\": \"soup\"}\n");
    expect_error(privatize_files(options(), ledgered(10)), Errc::bad_format, {"record 2", "'who'"});
  }
  write("in.csv", "id,who,text,title\n1,a,soup,\n2,,soup,\n");
  FileOptions csv = ledgered(10, "out.csv");
  csv.inputs = {path("in.csv")};
  expect_error(privatize_files(options(), csv), Errc::bad_format, {"record 2", "'who' is empty"});
  csv.ledger->subject_field = "author";
  expect_error(privatize_files(options(), csv), Errc::not_found, "subject_field",
               {"'author'", "id, who, text, title"});
}

}  // namespace
}  // namespace sotto
