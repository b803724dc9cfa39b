// Receipts of partitions in memory add up to that of the whole, whatever the partitions.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/receipt_merge.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using Json = nlohmann::json;

class ReceiptMerge : public PipelineTest {
 protected:
  /// Counts of one document or record, with some of everything.
  static std::vector<Counts> some_counts(const Privatizer& privatizer, std::size_t documents) {
    std::vector<Counts> counts(documents);
    for (std::size_t i = 0; i < documents; ++i) {
      std::string text = "the soup, 12:30 was cold!";
      for (std::size_t w = 0; w < i % 7; ++w) text += " Zanzibar don't";
      EXPECT_TRUE(privatizer.privatize({"set", "1", "text"}, i % 9 == 0 ? "" : text, counts[i]));
    }
    return counts;
  }

  static Counts sum(std::span<const Counts> parts) {
    Counts counts;
    for (const Counts& part : parts) counts += part;
    return counts;
  }
};

TEST_F(ReceiptMerge, AnyPartsMakeTheWhole) {
  std::mt19937 draw(7);
  PrivatizeOptions paper = options(0.3);
  paper.policy = parse_policy("paper").value();
  for (const PrivatizeOptions& with : {options(0.3), paper}) {
    const auto privatizer = Privatizer::make(with).value();
    std::vector<Counts> counts = some_counts(*privatizer, 40);
    counts[3].withheld = 2;
    counts[5].skipped = 1;
    counts[7].largest_record = 90;  // a record of several documents
    const std::string whole = to_json(privatizer->receipt(sum(counts)));
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> parts;
      for (std::size_t begin = 0; begin < counts.size();) {
        const std::size_t size = std::min<std::size_t>(draw() % 12, counts.size() - begin);  // some are empty
        parts.push_back(to_json(privatizer->receipt(sum(std::span(counts).subspan(begin, size)))));
        begin += size;
      }
      std::shuffle(parts.begin(), parts.end(), draw);
      const auto merged = merge_receipts(parts);
      ASSERT_TRUE(merged) << describe(merged.error());
      ASSERT_EQ(*merged, whole);
    }
  }
}

/// With a budget, epsilon and statement are those of the largest share, wherever it was.
TEST_F(ReceiptMerge, TheLargestShareDecides) {
  PrivatizeOptions with = options(0);
  with.document_budget = DocumentBudget{BudgetStrategy::even, 8, {}};
  const auto privatizer = Privatizer::make(with).value();
  std::vector<Counts> counts(4);  // of one, two and four tokens, and none: sums are exact
  ASSERT_TRUE(privatizer->privatize({"set", "1", ""}, "soup soup soup soup", counts[0]));
  ASSERT_TRUE(privatizer->privatize({"set", "2", ""}, "soup", counts[1]));
  ASSERT_TRUE(privatizer->privatize({"set", "3", ""}, "soup soup", counts[2]));
  const std::string whole = to_json(privatizer->receipt(sum(counts)));
  std::vector<std::string> parts;
  std::vector<double> epsilons;
  for (const Counts& part : counts) {
    parts.push_back(to_json(privatizer->receipt(part)));
    if (part.privatized > 0) epsilons.push_back(Json::parse(parts.back())["mechanism"]["epsilon"]);
  }
  EXPECT_LT(epsilons[0], epsilons[2]);
  EXPECT_LT(epsilons[2], epsilons[1]);
  EXPECT_EQ(Json::parse(whole)["mechanism"]["epsilon"], epsilons[1]);
  std::sort(parts.begin(), parts.end());
  do {
    EXPECT_EQ(merge_receipts(parts).value(), whole);
  } while (std::next_permutation(parts.begin(), parts.end()));
}

/// The documents of a record add up, also where the longest document is alone.
TEST_F(ReceiptMerge, ARecordOfTwoBudgetsIsStated) {
  write("in.jsonl", R"({"parts": ["the soup", "was cold"]}
{"parts": ["the soup was cold good bad waiter"]}
)");
  PrivatizeOptions with = options(0);
  with.document_budget = DocumentBudget{BudgetStrategy::even, 8, {}};
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"/parts/*"};
  over.report = path("receipt.json");
  run(with, over);
  const Json receipt = Json::parse(read("receipt.json"));
  const double document = receipt["guarantee"]["document"]["epsilon_sum_max"];
  EXPECT_LE(document, 8);
  EXPECT_GT(receipt["guarantee"]["record"]["epsilon_sum_max"], 1.99 * document);
  EXPECT_EQ(merge_receipts(std::vector{read("receipt.json")}).value(), read("receipt.json"));
}

TEST_F(ReceiptMerge, SumsBeyondWhatAReceiptStatesAreRefused) {
  const auto privatizer = Privatizer::make(options()).value();
  Counts many;
  many.withheld = std::uint64_t{1} << 53;
  const std::vector<std::string> twice(2, to_json(privatizer->receipt(many)));
  EXPECT_EQ(merge_receipts(std::span(twice).first(1)).value(), twice[0]);
  expect_error(merge_receipts(twice), Errc::limit, {"'counts.withheld'"});
}

TEST_F(ReceiptMerge, ErrorsNameTheReceipt) {
  expect_error(merge_receipts({}), Errc::invalid_argument, {"no receipts"});
  const std::string one = to_json(Privatizer::make(options(1)).value()->receipt());
  const std::string other = to_json(Privatizer::make(options(2)).value()->receipt());
  expect_error(merge_receipts(std::vector{one, one, other}), Errc::bad_format,
               {"receipt 1 and receipt 3", "'mechanism.epsilon' is 1.0 and 2.0"});
  expect_error(merge_receipts(std::vector<std::string>{one, "{}"}), Errc::bad_format,
               {"receipt 2", "not a receipt"});
}

}  // namespace
}  // namespace sotto
