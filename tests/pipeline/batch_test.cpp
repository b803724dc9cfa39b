// Batches in memory give the same output as files and single calls, on any number of threads.
#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using Json = nlohmann::json;

class BatchTest : public PipelineTest {
 protected:
  /// Enough text for several chunks, with every document different.
  void make_documents(std::size_t count, std::size_t words) {
    for (std::size_t i = 0; i < count; ++i) {
      ids_.push_back(std::to_string(i));
      std::string& text = texts_.emplace_back();
      for (std::size_t w = 0; w < words; ++w)
        text += words_[(i * 31 + w * 7) % words_.size()] + (w % 5 == 4 ? ", 12 " : " ");
    }
    for (std::size_t i = 0; i < count; ++i) documents_.push_back({{"set", ids_[i], "text"}, texts_[i]});
    outputs_.resize(count);
  }

  std::vector<std::string> ids_;
  std::vector<std::string> texts_;
  std::vector<Document> documents_;
  std::vector<std::string> outputs_;
};

TEST_F(BatchTest, EqualsSingleCallsAndFilesOnAnyNumberOfThreads) {
  make_documents(3000, 60);  // about a megabyte: several chunks
  const auto privatizer = Privatizer::make(options()).value();
  std::vector<std::string> single;
  Counts counted;
  for (const Document& document : documents_)
    single.push_back(privatizer->privatize(document.name, document.text, counted).value());
  for (const unsigned threads : {1U, 2U, 5U}) {
    Counts counts;
    ASSERT_TRUE(privatizer->privatize(documents_, outputs_, counts, {.threads = threads}));
    EXPECT_EQ(outputs_, single);
    EXPECT_EQ(to_json(privatizer->receipt(counts)), to_json(privatizer->receipt(counted)));
  }

  std::vector<Counts> each(documents_.size());
  for (const unsigned threads : {1U, 2U}) {
    each.assign(each.size(), counted);  // what was there does not matter
    ASSERT_TRUE(privatizer->privatize(documents_, outputs_, each, {.threads = threads}));
    EXPECT_EQ(outputs_, single);
    Counts sum;
    for (const Counts& one : each) sum += one;
    EXPECT_EQ(to_json(privatizer->receipt(sum)), to_json(privatizer->receipt(counted)));
    EXPECT_EQ(statistics_json(privatizer->receipt(sum)), statistics_json(privatizer->receipt(counted)));
    Counts first;
    ASSERT_TRUE(privatizer->privatize(documents_[7].name, documents_[7].text, first));
    EXPECT_EQ(statistics_json(privatizer->receipt(each[7])), statistics_json(privatizer->receipt(first)));
  }

  std::string lines;
  for (std::size_t i = 0; i < texts_.size(); ++i)
    lines += Json{{"id", ids_[i]}, {"text", texts_[i]}}.dump() + "\n";
  write("in.jsonl", lines);
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"text"};
  over.id_field = "id";
  over.dataset = "set";
  ASSERT_TRUE(privatize_files(*privatizer, over));
  std::istringstream written(read("out.jsonl"));
  std::string line;
  for (const std::string& expected : single) {
    ASSERT_TRUE(std::getline(written, line));
    ASSERT_EQ(Json::parse(line)["text"], expected);
  }
}

TEST_F(BatchTest, SeveralThreadsMayCallAtOnce) {
  make_documents(200, 30);
  const auto privatizer = Privatizer::make(options()).value();
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(documents_, outputs_, counts));
  std::vector<std::thread> callers;
  std::vector<std::vector<std::string>> results(4, std::vector<std::string>(documents_.size()));
  for (auto& result : results)
    callers.emplace_back([&, own = &result] {
      Counts ignored;
      for (int round = 0; round < 5; ++round)
        ASSERT_TRUE(privatizer->privatize(documents_, *own, ignored, {.threads = 2}));
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& result : results) EXPECT_EQ(result, outputs_);
}

TEST_F(BatchTest, DataSetsMayAlternate) {
  make_documents(6, 4);
  for (std::size_t i = 0; i < 6; ++i) documents_[i].name.dataset = i % 2 == 0 ? "even" : "odd";
  const auto privatizer = Privatizer::make(options()).value();
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(documents_, outputs_, counts));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(outputs_[i], privatizer->privatize(documents_[i].name, documents_[i].text, counts).value());
}

TEST_F(BatchTest, AFailureNamesThePlaceAndLeavesNothing) {
  make_documents(5, 3);
  documents_[3].text = std::string_view("a\0b", 3);
  const auto privatizer = Privatizer::make(options()).value();
  Counts counts;
  expect_error(privatizer->privatize(documents_, outputs_, counts), Errc::bad_format, {"document 4", "NUL"});
  for (const std::string& output : outputs_) EXPECT_EQ(output, "");
  EXPECT_EQ(counts.documents, 0U);
}

TEST_F(BatchTest, TheCallerMayStopIt) {
  make_documents(3000, 60);
  const auto privatizer = Privatizer::make(options()).value();
  Counts counts;
  std::uint64_t most = 0;
  const BatchOptions stop{.threads = 2, .progress = [&](std::uint64_t done, std::uint64_t total) {
                            most = std::max(most, done);
                            return done >= total;
                          }};
  expect_error(privatizer->privatize(documents_, outputs_, counts, stop), Errc::interrupted, {});
  EXPECT_GT(most, 0U);
  for (const std::string& output : outputs_) EXPECT_EQ(output, "");
}

TEST_F(BatchTest, AnEmptyBatchIsFine) {
  const auto privatizer = Privatizer::make(options()).value();
  Counts counts;
  EXPECT_TRUE(privatizer->privatize(std::span<const Document>(), {}, counts));
}

/// Without a key file no two documents share noise, whichever path they take.
TEST_F(BatchTest, WithoutAKeyRepeatsDiffer) {
  PrivatizeOptions keyless = options();
  keyless.key_file.reset();
  const auto privatizer = Privatizer::make(keyless).value();
  make_documents(1, 200);
  documents_.assign(2, documents_[0]);
  outputs_.resize(2);
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(documents_, outputs_, counts));
  EXPECT_NE(outputs_[0], outputs_[1]);
  write("in.txt", texts_[0] + "\n");
  ASSERT_TRUE(privatize_files(*privatizer, files("in.txt", "first.txt")));
  ASSERT_TRUE(privatize_files(*privatizer, files("in.txt", "second.txt")));
  EXPECT_NE(read("first.txt"), read("second.txt"));
}

/// A text may end where readable memory ends: the words at its end are looked up in blocks.
TEST_F(BatchTest, NothingIsReadBeyondATextsEnd) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char* const end = static_cast<char*>(memory) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  const auto privatizer = Privatizer::make(options()).value();
  const auto session = privatizer->open_ledger({path("ledger"), "who", 1000, 10}).value();
  for (const std::string text : {"soup", "i", "Zanzibar", "the soup, 12", "don't"}) {
    const std::string_view last(std::copy(text.begin(), text.end(), end - text.size()) - text.size(),
                                text.size());
    Counts counts;
    const std::string expected = privatizer->privatize({"set", "1", "text"}, text, counts).value();
    EXPECT_EQ(privatizer->privatize({"set", "1", "text"}, last, counts).value(), expected);
    const Document document{{"set", "1", "text"}, last};
    std::string output;
    ASSERT_TRUE(privatizer->privatize(std::span(&document, 1), std::span(&output, 1), counts));
    EXPECT_EQ(output, expected);
    const FieldText field{"text", last};
    const Record record{"set", "1", "alice", std::span(&field, 1)};
    ReleasedRecord released;
    ASSERT_TRUE(privatizer->privatize(std::span(&record, 1), *session, std::span(&released, 1), counts));
    EXPECT_EQ(released.texts, std::vector{expected});
    UnsettledRecord unsettled;
    ASSERT_TRUE(privatizer->rewrite(std::span(&record, 1), std::span(&unsettled, 1)));
    EXPECT_EQ(unsettled.texts, std::vector{expected});
  }
  munmap(memory, 2 * page);
}

class RecordBatchTest : public PipelineTest {
 protected:
  LedgerOptions ledger(double limit) const { return {path("ledger"), "who", limit, 10}; }

  const std::vector<FieldText> first_ = {{"title", "soup"}, {"text", "the soup was cold"}};
  const std::vector<FieldText> second_ = {{"title", "waiter"}, {"text", "bad waiter"}};
  const std::vector<Record> records_ = {
      {"set", "1", "alice", first_}, {"set", "2", "alice", second_}, {"set", "3", "bob", second_}};
  std::vector<ReleasedRecord> outputs_ = std::vector<ReleasedRecord>(3);
};

TEST_F(RecordBatchTest, ChargesBeforeItReleases) {
  const auto privatizer = Privatizer::make(options()).value();
  const auto session = privatizer->open_ledger(ledger(7)).value();
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(records_, *session, outputs_, counts));
  EXPECT_TRUE(outputs_[0].is_released());
  EXPECT_FALSE(outputs_[1].is_released());  // 5 are spent, 3 more would make 8
  EXPECT_TRUE(outputs_[1].texts.empty());
  EXPECT_TRUE(outputs_[2].is_released());
  EXPECT_EQ(counts.withheld, 1U);
  Counts ignored;
  for (const std::size_t i : {0U, 2U})
    for (std::size_t f = 0; f < 2; ++f) {
      const FieldText& field = records_[i].fields[f];
      EXPECT_EQ(outputs_[i].texts[f],
                privatizer->privatize({"set", records_[i].id, field.field}, field.text, ignored).value());
    }
  EXPECT_EQ(session->receipt().charged_documents, 4U);

  ASSERT_TRUE(privatizer->privatize(records_, *session, outputs_, counts));
  EXPECT_EQ(session->receipt().charged_documents, 4U);  // repeats are free
}

TEST_F(RecordBatchTest, SharesItsAccountsWithFiles) {
  write("in.jsonl", R"({"id": "1", "who": "alice", "title": "soup", "text": "the soup was cold"})"
                    "\n");
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"title", "text"};
  over.id_field = "id";
  over.dataset = "set";
  over.ledger = ledger(7);
  run(options(), over);
  const auto privatizer = Privatizer::make(options()).value();
  const auto session = privatizer->open_ledger(ledger(7)).value();
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(records_, *session, outputs_, counts));
  EXPECT_TRUE(outputs_[0].is_released());  // again, free of charge
  EXPECT_FALSE(outputs_[1].is_released());
  EXPECT_EQ(session->receipt().charged_documents, 2U);
}

TEST_F(RecordBatchTest, NeedsAKeyAndALimit) {
  PrivatizeOptions keyless = options();
  keyless.key_file.reset();
  EXPECT_FALSE(Privatizer::make(keyless).value()->open_ledger(ledger(7)));
  EXPECT_FALSE(Privatizer::make(options()).value()->open_ledger(ledger(0)));
}

TEST_F(RecordBatchTest, ConcurrentCallersNeverExceedALimit) {
  const auto privatizer = Privatizer::make(options()).value();
  const auto session = privatizer->open_ledger(ledger(20)).value();
  std::vector<std::thread> callers;
  std::atomic<int> released = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 10; ++i) {
        const std::string id = fmt::format("{}-{}", caller, i);
        const Record record{"set", id, "carol", second_};  // three tokens
        ReleasedRecord output;
        Counts counts;
        ASSERT_TRUE(privatizer->privatize(std::span(&record, 1), *session, std::span(&output, 1), counts));
        released += output.is_released();
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(released, 6);  // 18 of 20
}

}  // namespace
}  // namespace sotto
