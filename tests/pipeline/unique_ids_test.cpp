#include "pipeline/records/unique_ids.hpp"

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

class UniqueIdsTest : public PipelineTest {
 protected:
  static constexpr const char* kText = "the soup was cold the soup was cold the soup was cold";

  PrivatizeOptions keyless() const {
    PrivatizeOptions fresh = options(0.1);
    fresh.key_file.reset();
    return fresh;
  }

  PrivatizeOptions unique() const {
    PrivatizeOptions with = options();
    with.unique_ids = true;
    return with;
  }

  /// Records with these ids and the same text.
  FileOptions with_ids(const std::vector<std::string>& ids, const std::string& name = "in.csv") const {
    std::string content = "id,text\n";
    for (const std::string& id : ids) content += id + "," + kText + "\n";
    write(name, content);
    FileOptions with = files(name, "out");
    with.fields = {"text"};
    with.id_field = "id";
    return with;
  }

  static std::set<std::string> texts(const std::string& csv) {
    std::set<std::string> texts;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) texts.insert(line.substr(line.find(',') + 1));
    texts.erase("text");
    return texts;
  }
};

TEST_F(UniqueIdsTest, WithoutAKeyFileNoTwoRecordsShareNoise) {
  EXPECT_EQ(texts(run(keyless(), with_ids(std::vector<std::string>(20, "7")))).size(), 20U);
  // Nor in two inputs of the same name, where record numbers repeat too.
  write("in.txt", std::string(kText) + "\n");
  FileOptions twice = files("in.txt", "out");
  for (int i = 0; i < 9; ++i) twice.inputs.push_back(path("in.txt"));
  EXPECT_EQ(texts(run(keyless(), twice)).size(), 10U);
  FileOptions with = with_ids({"7"});
  with.inputs.push_back(with.inputs[0]);
  with.dataset = "d";
  EXPECT_EQ(texts(run(keyless(), with)).size(), 2U);
}

TEST_F(UniqueIdsTest, WithOneRepeatsAreByDesign) {
  EXPECT_EQ(texts(run(options(0.1), with_ids(std::vector<std::string>(20, "7")))).size(), 1U);
  PrivatizeOptions seeded = keyless();
  seeded.seed = 3;
  EXPECT_EQ(texts(run(seeded, with_ids(std::vector<std::string>(20, "7")))).size(), 1U);
}

TEST_F(UniqueIdsTest, ASecondIdIsRefusedByRecordAndNotByName) {
  const std::string message = run_error(unique(), with_ids({"Zoe", "Ann", "Zoe"}));
  EXPECT_NE(message.find("in.csv: record 3: its id occurred before"), std::string::npos) << message;
  EXPECT_EQ(message.find("Zoe"), std::string::npos);
  // Quotes are not part of an id.
  EXPECT_NE(run_error(unique(), with_ids({"Zoe", "\"Zoe\""}, "quoted.csv")).find("record 2"),
            std::string::npos);
  EXPECT_NE(run(unique(), with_ids({"Zoe", "Ann", "zoe", "", "\"Ann \""})), "");
}

// A string and a number that read alike are the same id, as they are for the noise.
TEST_F(UniqueIdsTest, JsonIdsToo) {
  write("in.jsonl", "{\"id\":\"7\",\"text\":\"soup\"}\n{\"text\":\"soup\",\"id\":7}\n");
  FileOptions with = files("in.jsonl", "failed");
  with.fields = {"text"};
  with.id_field = "id";
  EXPECT_NE(run_error(unique(), with).find("record 2"), std::string::npos);
}

// Chunks are rewritten concurrently; the first repeat in input order is the one reported.
TEST_F(UniqueIdsTest, ManyChunksAndSeveralInputs) {
  std::vector<std::string> ids;
  for (int i = 0; i < 30'000; ++i) ids.push_back(std::to_string(i));
  ids[25'000] = ids[100];
  ids[29'000] = ids[28'999];
  FileOptions with = with_ids(ids);
  with.threads = 4;
  EXPECT_NE(run_error(unique(), with).find("record 25001"), std::string::npos);
  FileOptions apart = with_ids({"1"}, "a.csv");
  with_ids({"1"}, "b.csv");
  apart.inputs.push_back(path("b.csv"));
  apart.output = path("apart");
  EXPECT_NE(run(unique(), apart), "");  // two data sets
  apart.dataset = "d";
  apart.output = path("one set");
  EXPECT_NE(run_error(unique(), apart).find("b.csv: record 1"), std::string::npos);
}

TEST_F(UniqueIdsTest, RecordNumbersRepeatOnlyBetweenInputsOfOneName) {
  write("in.txt", "soup\nsoup\n");
  EXPECT_NE(run(unique(), files("in.txt", "fine")), "");
  FileOptions twice = files("in.txt", "out");
  twice.inputs.push_back(path("in.txt"));
  EXPECT_NE(run_error(unique(), twice).find("unique_ids: two inputs"), std::string::npos);
}

TEST_F(UniqueIdsTest, RefusesWhatReadsOnlyAPart) {
  FileOptions part = with_ids({"1"});
  part.shard = {1, 2};
  expect_error(privatize_files(unique(), part), Errc::invalid_argument, "unique_ids", {"shard"});
  FileOptions resumed = with_ids({"1"});
  resumed.resume = true;
  expect_error(privatize_files(unique(), resumed), Errc::invalid_argument, "unique_ids", {"resume"});
}

TEST_F(UniqueIdsTest, OneDocumentAtATime) {
  Counts counts;
  const auto fresh = Privatizer::make(keyless()).value();
  std::set<std::string> outputs;
  for (int i = 0; i < 20; ++i) outputs.insert(fresh->privatize({"d", "7", "text"}, kText, counts).value());
  EXPECT_EQ(outputs.size(), 20U);

  const auto keyed = Privatizer::make(options()).value();
  EXPECT_EQ(keyed->privatize({"d", "7", "text"}, kText, counts).value(),
            keyed->privatize({"d", "7", "text"}, kText, counts).value());

  const auto strict = Privatizer::make(unique()).value();
  EXPECT_TRUE(strict->privatize({"d", "7", "text"}, kText, counts));
  EXPECT_TRUE(strict->privatize({"d", "7", "title"}, kText, counts));
  EXPECT_TRUE(strict->privatize({"e", "7", "text"}, kText, counts));
  expect_error(strict->privatize({"d", "7", "text"}, "another text", counts), Errc::invalid_argument,
               {"occurred before"});
}

TEST_F(UniqueIdsTest, OfManyThreadsOneIsFirst) {
  const auto strict = Privatizer::make(unique()).value();
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        Counts counts;
        if (strict->privatize({"d", "7", "text"}, "soup", counts)) ++accepted;
      });
  }
  EXPECT_EQ(accepted, 1);
}

TEST(UniqueIds, NothingOfAnIdCanBeToldFromItsHash) {
  const UniqueIds one(random::Key(std::array<unsigned char, 32>{1})),
      other(random::Key(std::array<unsigned char, 32>{2}));
  EXPECT_EQ(one.hash("d", "Zoe"), one.hash("d", "Zoe"));
  EXPECT_NE(one.hash("d", "Zoe"), other.hash("d", "Zoe"));
  EXPECT_NE(one.hash("d", "Zoe"), one.hash("dZ", "oe"));
}

}  // namespace
}  // namespace sotto
