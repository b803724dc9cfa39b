// One-pass models in the pipeline.
#include <set>

#include <nlohmann/json.hpp>

#include <sotto/receipt_description.hpp>

#include "pipeline/language_model_fixture.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using testing::expect_error;
using testing::LanguageModels;

// One-pass models are computed by the engine.
class OnePassModels : public LanguageModels {
 protected:
  OnePassModels() {
    testing::OnePassCheckpoint({"soup", "soups", "waiter", "waiters", "cold", "warm", "the", "was", "good"})
        .write(path("one-pass"));
  }
  PrivatizeOptions wandering(const ParameterValues& parameters,
                             const std::string& mechanism = "dp-mlm") const {
    PrivatizeOptions options = mlm(4, "one-pass");
    options.mechanism.name = mechanism;
    options.mechanism.parameters = parameters;
    return options;
  }
};

TEST_F(OnePassModels, WanderBelongsToTheConfigurationAndTheReceipt) {
  const auto parameters = [](const PrivatizeOptions& options) {
    return nlohmann::json::parse(
        to_json(Privatizer::make(options).value()->receipt()))["mechanism"]["parameters"];
  };
  EXPECT_EQ(parameters(wandering({}))["wander"], "auto");
  EXPECT_EQ(parameters(wandering({}))["mode"], "auto");
  const auto model = [](const PrivatizeOptions& options) {
    return nlohmann::json::parse(to_json(Privatizer::make(options).value()->receipt()))["language_model"];
  };
  EXPECT_EQ(model(wandering({}))["wander"], 1);
  EXPECT_EQ(model(wandering({}))["mode"], "one-pass");
  EXPECT_EQ(model(wandering({{"wander", "0"}}))["wander"], 0);
  EXPECT_FALSE(model(mlm(4)).contains("wander"));
  EXPECT_EQ(model(mlm(4))["mode"], "parallel");
  EXPECT_EQ(parameters(wandering({{"wander", ".50"}}))["wander"], "0.5");
  EXPECT_EQ(configuration(wandering({{"wander", ".50"}})), configuration(wandering({{"wander", "5e-1"}})));
  std::set<std::string> seen;
  for (const char* wander : {"auto", "0", "0.5", "1"})
    EXPECT_TRUE(seen.insert(configuration(wandering({{"wander", wander}}))).second) << wander;
  for (const char* wrong : {"2", "-0.1", "nan", "some", ""})
    expect_error(Privatizer::make(wandering({{"wander", wrong}})), Errc::invalid_argument,
                 "parameters.wander", {"0", "1"});
  PrivatizeOptions bert = mlm(4);
  bert.mechanism.parameters["wander"] = "0";
  expect_error(Privatizer::make(bert), Errc::invalid_argument, "parameters.wander", {"leave it out"});
}

TEST_F(OnePassModels, TheReceiptsPageSaysHowWordsWereDrawn) {
  write("in.txt", "the soup was cold\n");
  const auto receipt = [&](const PrivatizeOptions& options) {
    return nlohmann::json::parse(to_json(privatize_files(options, files("in.txt", "out.txt")).value()));
  };
  const auto page = [](const nlohmann::json& json) { return to_json(describe_receipt(json.dump()).value()); };
  const nlohmann::json half = receipt(wandering({{"wander", ".5"}}));
  EXPECT_NE(page(half).find("scored all its words in that pass"), std::string::npos);
  EXPECT_NE(page(half).find("wander was 0.5"), std::string::npos);
  EXPECT_NE(page(half).find("no part of the promise"), std::string::npos);
  EXPECT_NE(page(receipt(wandering({}))).find("wander was 1"), std::string::npos);
  const std::string masked = page(receipt(mlm(4)));
  EXPECT_NE(masked.find("with that word masked"), std::string::npos);
  EXPECT_EQ(masked.find("wander"), masked.find("wander=auto")) << "only among the parameters";
  const std::tuple<const char*, nlohmann::json, const char*> contradictions[] = {
      {"wander", 0.25, "its wander is not that"},
      {"wander", 1.5, "more than 1"},
      {"wander", -1, "not a number from 0"},
      {"mode", 7, "not a text"}};
  for (const auto& [name, value, problem] : contradictions) {
    nlohmann::json changed = half;
    changed["language_model"][name] = value;
    expect_error(describe_receipt(changed.dump()), Errc::bad_format, {problem});
  }
  nlohmann::json other = half;
  other["mechanism"]["parameters"]["mode"] = "parallel";
  expect_error(describe_receipt(other.dump()), Errc::bad_format, {"another mode"});
}

TEST_F(OnePassModels, OtherModesAreRefused) {
  for (const char* mode : {"parallel", "sequential"})
    expect_error(Privatizer::make(wandering({{"mode", mode}})), Errc::invalid_argument, "parameters.mode",
                 {"give one-pass"});
  EXPECT_EQ(rewrite("the soup", wandering({{"mode", "one-pass"}, {"law", "bounded"}})).empty(), false);
}

TEST_F(OnePassModels, EveryThreadCountAndOrderGivesTheSame) {
  std::string jsonl;
  std::string reversed;
  for (int i = 0; i < 300; ++i) {
    const std::string line = R"({"id": ")" + std::to_string(i) + R"(", "t": ")" +
                             (i % 2 == 0 ? "The soup was cold, waiter!" : "Good warm soups 12") + "\"}\n";
    jsonl += line;
    reversed.insert(0, line);
  }
  write("in.jsonl", jsonl);
  write("reversed.jsonl", reversed);
  const auto lines = [&](const std::string& input, unsigned threads) {
    FileOptions to = files(input, "out.jsonl");
    to.fields = {"t"};
    to.id_field = "id";
    to.dataset = "same";
    PrivatizeOptions options = wandering({{"addition", "0.3"}}, "dp-mlm-plus");
    options.language.threads = threads;
    const std::string out = run(options, to);
    std::set<std::string> found;
    for (std::size_t begin = 0; begin < out.size(); begin = out.find('\n', begin) + 1)
      found.insert(out.substr(begin, out.find('\n', begin) - begin));
    return found;
  };
  const std::set<std::string> first = lines("in.jsonl", 1);
  EXPECT_EQ(first.size(), 300U);
  for (const unsigned threads : {2U, 8U}) EXPECT_EQ(lines("in.jsonl", threads), first);
  EXPECT_EQ(lines("reversed.jsonl", 2), first);
}

TEST_F(OnePassModels, TheLedgerChargesARepeatNothing) {
  write("in.jsonl", "{\"who\": \"a\", \"t\": \"the soup was cold\"}\n");
  FileOptions to = files("in.jsonl", "out.jsonl");
  to.fields = {"t"};
  to.ledger = LedgerOptions{path("ledger"), "who", 1000, 10};
  const auto charged = [&](const char* wander) {
    return privatize_files(wandering({{"wander", wander}}), to).value().ledger->charged_documents;
  };
  EXPECT_EQ(charged("1"), 1U);
  const std::string out = read("out.jsonl");
  EXPECT_EQ(charged("1.0"), 0U);
  EXPECT_EQ(read("out.jsonl"), out);
  EXPECT_EQ(charged("0.5"), 1U) << "other noise, and so a new spend";
  const auto accounts = Ledger::open(path("ledger")).value()->accounts_of("a").value();
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0].spent, 2 * 4 * 4'000'000'000);
}

}  // namespace
}  // namespace sotto
