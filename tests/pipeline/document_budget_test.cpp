// A budget per document, shared among its tokens.
#include "pipeline/rewrite/document_budget.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/phrase_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

class DocumentBudgets : public PhrasePipelineTest {
 protected:
  Counts counts_of(const std::string& text, const PrivatizeOptions& with) const {
    Counts counts;
    rewrite(text, with, &counts);
    return counts;
  }

  PrivatizeOptions budgeted(double epsilon, BudgetStrategy strategy = BudgetStrategy::even) const {
    PrivatizeOptions with = options(0);
    with.document_budget = DocumentBudget{strategy, epsilon, {}};
    return with;
  }

  /// Lines of one to forty words, some of them phrases.
  static std::string lines(int count) {
    const std::vector<std::string> words = {"the", "new york", "soup", "I think",     "cold", "we",
                                            "was", "xyz",      "12",   "therefore I", "city", "am,"};
    std::string text;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i * 7 % 40; ++j) text += words[(i * 5 + j * j) % words.size()] + " ";
      text += "\n";
    }
    return text;
  }
};

TEST_F(DocumentBudgets, TheFourStrategiesByHand) {
  const std::string text = "I think, therefore I am";
  const auto expect = [&](const std::string& name, std::uint64_t tokens, double share, double spent) {
    const Counts counts = counts_of(text, named(name, 10));
    EXPECT_EQ(counts.privatized, tokens) << name;
    EXPECT_NEAR(counts.largest_share, share, 1e-12) << name;
    EXPECT_EQ(counts.smallest_share, counts.largest_share) << name;
    EXPECT_NEAR(counts.largest_epsilon, spent, 1e-12) << name;
    EXPECT_LE(counts.largest_epsilon, 10) << name;
    return counts;
  };
  // "think" and "therefore" are not stopwords.
  EXPECT_EQ(expect("S1", 2, 5, 10).clear_stopwords, 3U);
  EXPECT_EQ(expect("S2", 3, 2, 6).statistics.phrases, 2U);  // five words: each token gets a fifth
  expect("S3", 3, 10.0 / 3, 10);
  expect("S4", 3, 10.0 / 3, 10);
}

TEST_F(DocumentBudgets, EqualsATokenBudgetOfTheSameSize) {
  // The law is the mechanism's at that share: with next to no noise, and with overwhelming noise.
  EXPECT_EQ(rewrite("the soup was cold", budgeted(1e6)), "The soup was cold");
  const Counts counts = counts_of("the soup was cold the soup was cold the soup was cold", budgeted(1e-3));
  EXPECT_GT(counts.statistics.changed, 6U);
}

TEST_F(DocumentBudgets, SharesNeverAddUpToMore) {
  write("in.txt", lines(300));
  for (const std::string strategy : {"even", "words", "positions", "S1", "S2", "S3", "S4"}) {
    PrivatizeOptions with = named(strategy, 7);
    if (strategy == "positions") with.document_budget->profile = {3, 1, 2};
    const Receipt receipt = privatize_files(with, files("in.txt", "out.txt")).value();
    EXPECT_GT(receipt.counts.largest_epsilon, 0);
    EXPECT_LE(receipt.counts.largest_epsilon, 7) << strategy;
    EXPECT_LE(receipt.counts.epsilon_sum, 7 * 300 * (1 + 1e-12)) << strategy;
    EXPECT_LT(receipt.counts.smallest_share, receipt.counts.largest_share) << strategy;
    EXPECT_EQ(receipt.guarantee.epsilon, receipt.counts.largest_share) << strategy;
    expect_sound(receipt);
  }
}

TEST_F(DocumentBudgets, NeitherThreadsNorBatchesNorShardsNorMemoryNorResumingMatter) {
  std::string text;
  while (text.size() < 700'000) text += lines(400);
  write("in.txt", text);
  for (const std::string mechanism : {"cmp", "santext", "custext", "mahalanobis"}) {
    PrivatizeOptions with = named("S3", 40);
    with.mechanism.name = mechanism;
    FileOptions one = files("in.txt", "out.txt");
    one.threads = 1;
    const Receipt first = privatize_files(with, one).value();
    const std::string expected = read("out.txt");
    FileOptions three = one;
    three.threads = 3;
    PrivatizeOptions little = with;
    little.mechanism.resources.memory = 20'000;
    const Receipt second = privatize_files(little, three).value();
    EXPECT_EQ(read("out.txt"), expected) << mechanism;
    EXPECT_EQ(second.counts.statistics.output_words, first.counts.statistics.output_words);
    EXPECT_EQ(second.counts.epsilon_sum, first.counts.epsilon_sum);
    if (mechanism != "santext") continue;
    std::string together;
    for (std::uint32_t shard = 1; shard <= 3; ++shard) {
      FileOptions part = one;
      part.shard = {shard, 3};
      together += run(with, part);
    }
    EXPECT_EQ(together, expected);
    FileOptions stopped = files("in.txt", "resumed.txt");
    stopped.resume = true;
    FileOptions resumed = stopped;
    stopped.progress = [](std::uint64_t done, std::uint64_t) { return done == 0; };
    expect_error(privatize_files(with, stopped), Errc::interrupted, {});
    PrivatizeOptions other = with;
    other.document_budget->epsilon = 41;
    expect_error(privatize_files(other, resumed), Errc::invalid_argument, {"other settings"});
    const Receipt third = privatize_files(with, resumed).value();
    EXPECT_EQ(read("resumed.txt"), expected);
    EXPECT_EQ(third.counts.epsilon_sum, first.counts.epsilon_sum);
    EXPECT_EQ(third.counts.smallest_share, first.counts.smallest_share);
    EXPECT_EQ(third.counts.statistics.largest_document_words, first.counts.statistics.largest_document_words);
  }
}

TEST_F(DocumentBudgets, SingleDocumentsInMemory) {
  const std::string text = "we think, therefore I am cold";
  const auto privatizer = Privatizer::make(named("S2", 8)).value();
  Counts counts;
  const std::string first = privatizer->privatize({"set", "0", ""}, text, counts).value();
  EXPECT_EQ(counts.privatized, 5U);
  EXPECT_EQ(counts.statistics.privatized_words, 6U);
  EXPECT_EQ(privatizer->receipt().budget->document_epsilon, 8);
  EXPECT_EQ(privatizer->receipt().budget->strategy, "words");
  (void)privatizer->privatize({"set", "1", ""}, "soup", counts).value();  // another ε in between
  EXPECT_EQ(privatizer->privatize({"set", "0", ""}, text, counts).value(), first);
}

TEST_F(DocumentBudgets, EverythingAboutTheBudgetDecidesTheNoise) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "the soup was cold ";
  const std::string base = rewrite(text, budgeted(160));
  EXPECT_EQ(rewrite(text, budgeted(160)), base);
  EXPECT_NE(rewrite(text, options(1)), base);  // the same ε per token
  EXPECT_NE(rewrite(text, budgeted(161)), base);
  EXPECT_NE(rewrite(text, budgeted(160, BudgetStrategy::words)), base);
  PrivatizeOptions positions = budgeted(160, BudgetStrategy::positions);
  positions.document_budget->profile = {1};
  const std::string flat = rewrite(text, positions);
  EXPECT_NE(flat, base);
  positions.document_budget->profile = {1, 1};
  EXPECT_NE(rewrite(text, positions), flat);
}

TEST_F(DocumentBudgets, PositionsSpendWhereTheProfileSays) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "soup ";
  PrivatizeOptions with = budgeted(1e5, BudgetStrategy::positions);
  with.document_budget->profile = {1e3, 1e-3};  // the second half gets next to nothing
  const std::string out = rewrite(text, with);
  EXPECT_TRUE(out.starts_with("Soup soup soup"));
  EXPECT_EQ(out.substr(0, 1000), "S" + text.substr(1, 999));
  EXPECT_EQ(out.substr(1000).find("soup soup"), std::string::npos) << out.substr(1000);
}

TEST_F(DocumentBudgets, AShareThatIsRefusedNamesTheDocument) {
  write("in.txt", "soup\nthe soup was cold\nsoup\n");
  const std::string tiny = run_error(budgeted(2e-9), files("in.txt", "out.txt"));
  EXPECT_NE(tiny.find("record 2: a share of 5e-10 for each of 4 tokens is refused"), std::string::npos)
      << tiny;
  std::string lengthy = "soup\n";
  for (int i = 0; i < 1000; ++i) lengthy += "soup ";
  write("in.txt", lengthy);
  PrivatizeOptions gumbel = named("even", 1000);
  gumbel.mechanism.name = "gumbel";
  gumbel.mechanism.parameters["calibration"] = "theorem";
  const std::string theorem = run_error(gumbel, files("in.txt", "out.txt"));
  EXPECT_NE(theorem.find("record 2: a share of 1 for each of 1000 tokens"), std::string::npos) << theorem;
  EXPECT_NE(theorem.find("calibration=theorem"), std::string::npos) << theorem;
  gumbel.document_budget->epsilon = 0.1;  // no document can have so little
  EXPECT_NE(run_error(gumbel, files("in.txt", "out.txt")).find("epsilon: '0.1'"), std::string::npos);
}

TEST_F(DocumentBudgets, WhatContradictsIsRefused) {
  PrivatizeOptions both = budgeted(1);
  both.mechanism.epsilon = 1;
  expect_error(Privatizer::make(both), Errc::invalid_argument, "document_epsilon", {"epsilon"});
  expect_error(Privatizer::make(budgeted(1, BudgetStrategy::token)), Errc::invalid_argument, {"'token'"});
  expect_error(Privatizer::make(budgeted(1, BudgetStrategy::positions)), Errc::invalid_argument, "profile",
               {"missing"});
  for (const double epsilon : {0.0, -1.0, 1e7, std::nan("")})
    expect_error(Privatizer::make(budgeted(epsilon)), Errc::invalid_argument, "document_epsilon", {});
  PrivatizeOptions certified = budgeted(1);
  certified.target = PrivacyTarget::certified;
  expect_error(Privatizer::make(certified), Errc::invalid_argument, "target", {});
  expect_error(parse_named_budget("S5"), Errc::invalid_argument, "budget", {"S5"});
}

TEST_F(DocumentBudgets, TheLedgerIsChargedWhatIsSpent) {
  write("in.jsonl",
        "{\"id\": 1, \"who\": \"alice\", \"text\": \"I think, therefore I am\"}\n"
        "{\"id\": 2, \"who\": \"bob\", \"text\": \"soup soup soup\"}\n"
        "{\"id\": 3, \"who\": \"carol\", \"text\": \"12 34\"}\n");
  const auto spent = [&](const PrivatizeOptions& with, double limit) {
    std::filesystem::remove(path("ledger"));
    FileOptions to = files("in.jsonl", "out.jsonl");
    to.fields = {"text"};
    to.id_field = "id";
    to.ledger = LedgerOptions{path("ledger"), "who", limit, 10};
    const auto receipt = privatize_files(with, to);
    EXPECT_TRUE(receipt) << receipt.error().message;
    std::map<std::string, NanoEpsilon> accounts;
    EXPECT_TRUE(
        Ledger::open(path("ledger")).value()->each_account([&](const LedgerAccount& account) -> Result<void> {
          accounts[account.subject] = account.spent;
          return {};
        }));
    return accounts;
  };
  using Accounts = std::map<std::string, NanoEpsilon>;
  // Shares are rounded down and charges up, but never above the budget: a limit of exactly that suffices.
  EXPECT_EQ(spent(named("S3", 10), 10), (Accounts{{"alice", 10'000'000'000}, {"bob", 10'000'000'000}}));
  EXPECT_EQ(spent(named("S2", 10), 10), (Accounts{{"alice", 6'000'000'000}, {"bob", 10'000'000'000}}));
  PrivatizeOptions positions = named("positions", 10);
  positions.document_budget->profile = {1, 3, 7};
  EXPECT_EQ(spent(positions, 10), (Accounts{{"alice", 10'000'000'000}, {"bob", 10'000'000'000}}));
  EXPECT_EQ(charge_for_shares(std::vector<double>{1.0, 1.0, 0.25}, 10), 2'250'000'000);
  EXPECT_EQ(charge_for_shares(std::vector<double>{1.0 / 3, 1.0 / 7}, 10), 333'333'334 + 142'857'143);
  EXPECT_EQ(charge_for_shares(std::vector<double>{1.0, 1.0}, 1.5), 1'500'000'000);
  PrivatizeOptions tem = named("even", 10);
  tem.mechanism.name = "tem";
  FileOptions to = files("in.jsonl", "out.jsonl");
  to.fields = {"text"};
  to.ledger = LedgerOptions{path("ledger2"), "who", 1000, 10};
  expect_error(privatize_files(tem, to), Errc::invalid_argument, "ledger", {"gamma"});
  tem.mechanism.parameters["gamma"] = "1";
  EXPECT_TRUE(privatize_files(tem, to));
}

TEST_F(DocumentBudgets, TheReceiptStatesBudgetAndShares) {
  write("in.txt", "I think, therefore I am\nsoup\n");
  const Receipt receipt = privatize_files(named("S2", 10), files("in.txt", "out.txt")).value();
  const auto json = nlohmann::json::parse(to_json(receipt));
  EXPECT_EQ(json["budget"]["strategy"], "words");
  EXPECT_EQ(json["budget"]["document_epsilon"], 10);
  const auto& share = json["budget"]["epsilon_per_token"];
  EXPECT_NEAR(share["smallest"].get<double>(), 2, 1e-12);
  EXPECT_NEAR(share["largest"].get<double>(), 10, 1e-11);
  EXPECT_NEAR(share["mean"].get<double>(), 4, 1e-11);  // three times 2 and once 10
  const auto& document = json["guarantee"]["document"];
  EXPECT_NEAR(document["epsilon_sum_max"].get<double>(), 10, 1e-11);
  EXPECT_NEAR(document["epsilon_sum_mean"].get<double>(), 8, 1e-11);
  EXPECT_EQ(json["guarantee"]["epsilon_per_token"], share["largest"]);
  EXPECT_EQ(json["mechanism"]["epsilon"], share["largest"]);
  EXPECT_EQ(json["guarantee"]["kind"], "analytic");
  EXPECT_NE(json["leaks"].dump().find("how many words its document has"), std::string::npos);
  EXPECT_NE(json["guarantee"]["adjacency"].dump().find("number of words"), std::string::npos);
}

}  // namespace
}  // namespace sotto
