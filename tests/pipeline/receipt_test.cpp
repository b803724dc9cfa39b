#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using ReceiptTest = PipelineTest;

TEST_F(ReceiptTest, SaysWhatWasRunAndCounted) {
  write("in.txt", "The soup was cold, Zoe paid 12.\n\nGood!\n");
  FileOptions with = files("in.txt", "out.txt");
  with.report = path("receipt.json");
  run(options(0.5), with);
  const auto receipt = nlohmann::json::parse(read("receipt.json"));
  EXPECT_EQ(receipt["mechanism"]["name"], "diffractor-geometric");
  EXPECT_EQ(receipt["mechanism"]["epsilon"], 0.5);
  EXPECT_EQ(receipt["mechanism"]["parameters"]["lists"], "L0");
  EXPECT_EQ(receipt["model"]["digest"], model_->digest());
  EXPECT_EQ(receipt["input"]["dataset"], "in.txt");
  EXPECT_EQ(receipt["guarantee"]["kind"], "analytic");
  EXPECT_EQ(receipt["guarantee"]["holds"], true);
  const double sum = receipt["guarantee"]["document"]["epsilon_sum_max"];
  EXPECT_GE(sum, 3.0);
  EXPECT_LT(sum, 3.0 + 1e-9);
  const auto& counts = receipt["counts"];
  EXPECT_EQ(counts["documents"], 3);
  EXPECT_EQ(counts["tokens"]["word"], 7);
  EXPECT_EQ(counts["tokens"]["number"], 1);
  EXPECT_EQ(counts["tokens"]["punctuation"], 3);
  EXPECT_EQ(counts["privatized"], 7);
  EXPECT_EQ(counts["largest_document"], 6);
  EXPECT_FALSE(receipt.contains("warning"));
}

TEST_F(ReceiptTest, SeededRunsClaimNothing) {
  PrivatizeOptions seeded = options();
  seeded.key_file.reset();
  seeded.seed = 1;
  const auto receipt = nlohmann::json::parse(to_json(Privatizer::make(seeded).value()->receipt()));
  EXPECT_EQ(receipt["seeded"], true);
  EXPECT_EQ(receipt["warning"], "seeded: not private");
  EXPECT_EQ(receipt["guarantee"]["holds"], false);
  EXPECT_EQ(receipt["guarantee"]["kind"], "none");
  EXPECT_FALSE(receipt["guarantee"].contains("epsilon_per_token"));
  EXPECT_FALSE(receipt["guarantee"].contains("document"));
}

TEST_F(ReceiptTest, NamesOfFieldsDoNotFillIt) {
  std::string header = "text";
  std::string row = "soup";
  for (int i = 0; i < 300; ++i) {
    header += "," + std::string(150, 'x') + std::to_string(i);
    row += ",1";
  }
  write("in.csv", header + "\n" + row + "\n");
  FileOptions over = files("in.csv", "out.csv");
  over.fields = {"text"};
  over.report = path("receipt.json");
  run(options(), over);
  const auto leaks = nlohmann::json::parse(read("receipt.json"))["leaks"];
  EXPECT_LT(leaks.size(), 70U);
  for (const std::string leak : leaks) EXPECT_LT(leak.size(), 200U);
  EXPECT_NE(leaks.dump().find("250 more fields"), std::string::npos);
}

TEST_F(ReceiptTest, LeaksFollowThePolicy) {
  const auto leaks = [&](const Policy& policy) {
    PrivatizeOptions with = options();
    with.policy = policy;
    std::string all;
    for (const std::string& leak : what_leaks(Privatizer::make(with).value()->receipt())) all += leak + "\n";
    return all;
  };
  EXPECT_EQ(leaks(Policy::strict()).find("stopwords"), std::string::npos);
  for (const std::string part :
       {"stopwords", "words outside the vocabulary", "numbers, as they are", "punctuation"})
    EXPECT_NE(leaks(Policy::paper()).find(part), std::string::npos) << part;
}

TEST_F(ReceiptTest, AReportThatCannotBeWrittenStopsTheRunBeforeItStarts) {
  write("in.txt", "soup");
  FileOptions with = files("in.txt", "out.txt");
  with.report = path("absent") / "receipt.json";
  run_error(options(), with);
}

}  // namespace
}  // namespace sotto
