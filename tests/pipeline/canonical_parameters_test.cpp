// How a value is spelled affects neither the noise nor the account that is charged.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

/// Groups of spellings: the same value within a group, different values across groups.
using Groups = std::vector<std::vector<std::string>>;

const std::map<std::string, Groups> kGroups = {
    {"k", {{"3", "03", "3e0", "3.0"}, {"2", "002", "2e0"}}},
    {"gamma", {{"auto"}, {"0.5", ".5", "0.50", "5e-1"}, {"0", "-0", "0.0"}, {"2", "02", "2e0"}}},
    {"beta", {{"0.001", "1e-3", ".001"}, {"0.25", ".25", "25e-2"}}},
    {"lambda", {{"0.2", ".2", "0.20"}, {"0", "-0", "0e1"}, {"1", "01", "1.0"}}},
    {"share", {{"0.5", ".5", "5e-1"}, {"1", "1.0"}}},
    {"p", {{"0.2", ".2", "2e-1"}, {"0.25", ".25"}}},
    {"lists", {{"L0"}, {"L2"}}},
    {"selection", {{"exponential"}, {"permute-and-flip"}}},
    {"exclude_input", {{"false"}, {"true"}}},
    {"candidates", {{"synonyms"}, {"vocabulary"}}},
    {"rating", {{"similarity"}, {"paper"}}},
    {"calibration", {{"paper"}}},
};

class CanonicalParameters : public PipelineTest {
 protected:
  CanonicalParameters() {
    write_tiny_model(path("vectors.safetensors"));
    std::filesystem::create_directory(path("wordnet"));
    write_tiny_wordnet(path("wordnet"), {{'n', {"dog", "cat"}}, {'n', {"tea", "coffee"}}});
    write("in.jsonl", "{\"who\": \"alice\", \"text\": \"the dog was cold\"}\n");
  }

  /// What identifies a run with these parameters.
  struct Identity {
    std::string configuration;
    std::string unit;
    bool operator==(const Identity&) const = default;
  };

  Identity identity(const std::string& mechanism, ParameterValues parameters, double epsilon = 1) {
    const bool lists = mechanism.starts_with("diffractor");
    if (mechanism == "syntf") parameters.try_emplace("wordnet", path("wordnet").string());
    PrivatizeOptions with = options(epsilon);
    with.mechanism.name = mechanism;
    with.mechanism.parameters = parameters;
    with.mechanism.model = path(lists ? "lists.safetensors" : "vectors.safetensors").string();
    FileOptions run = files("in.jsonl", fmt::format("out{}.jsonl", runs_));
    run.fields = {"text"};
    run.ledger = LedgerOptions{path(fmt::format("ledger{}", runs_++)), "who", 1000, 10};
    auto receipt = privatize_files(with, run);
    if (!receipt) {  // without a promise there is no account
      run.ledger.reset();
      receipt = privatize_files(with, run);
    }
    EXPECT_TRUE(receipt) << mechanism << ": " << (receipt ? "" : receipt.error().message);
    if (!receipt) return {};
    return {receipt->configuration_digest, receipt->ledger ? receipt->ledger->unit : ""};
  }

  Groups groups_of(const std::string& mechanism, const std::string& parameter) {
    if (parameter == "wordnet") return {};  // a folder
    if (parameter != "t") return kGroups.at(parameter);
    if (mechanism == "vickrey") return {{"0.5", ".5", "0.50"}, {"0", "-0"}, {"1", "1.0"}};
    return {{"1", "1.0", "01", "1,1,1", "1.0,1e0,01"}, {"1,2,3", "1.0,2e0,03"}, {"0", "-0", "-0,0,0.0"}};
  }

  int runs_ = 0;
};

TEST_F(CanonicalParameters, EverySpellingOfAValueIsOneConfigurationAndOneAccount) {
  std::size_t parameters = 0;
  for (const MechanismInfo& info : mechanisms()) {
    if (rewrites_whole_texts(info.name)) continue;
    for (const ParameterInfo& parameter : info.parameters) {
      std::set<std::string> configurations;
      const Groups groups = groups_of(info.name, parameter.name);
      for (const std::vector<std::string>& group : groups) {
        const Identity first = identity(info.name, {{parameter.name, group[0]}});
        configurations.insert(first.configuration);
        for (const std::string& spelling : group)
          EXPECT_EQ(identity(info.name, {{parameter.name, spelling}}), first)
              << info.name << ' ' << parameter.name << '=' << spelling;
      }
      EXPECT_EQ(configurations.size(), groups.size()) << info.name << ' ' << parameter.name;
      ++parameters;
    }
  }
  EXPECT_GE(parameters, 15U);
}

TEST_F(CanonicalParameters, GroupsOfDifferentSizesAreDifferentAccounts) {
  EXPECT_NE(identity("custext", {{"k", "2"}}).unit, identity("custext", {{"k", "3"}}).unit);
  EXPECT_EQ(identity("custext", {{"k", "3"}}).unit, identity("custext", {{"k", "003"}}).unit);
  EXPECT_EQ(identity("custext", {}), identity("custext", {{"k", "2e1"}})) << "the default";
}

TEST_F(CanonicalParameters, ASecondRunWithAnotherSpellingSpendsNothing) {
  PrivatizeOptions with = options();
  with.mechanism.name = "custext";
  with.mechanism.model = path("vectors.safetensors").string();
  FileOptions run = files("in.jsonl", "a.jsonl");
  run.fields = {"text"};
  run.ledger = LedgerOptions{path("ledger"), "who", 1000, 10};
  with.mechanism.parameters = {{"k", "3"}};
  const auto first = privatize_files(with, run);
  run.output = path("b.jsonl");
  with.mechanism.parameters = {{"k", "03"}};
  const auto second = privatize_files(with, run);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(read("a.jsonl"), read("b.jsonl"));
  EXPECT_EQ(first->ledger->charged_documents, 1U);
  EXPECT_EQ(second->ledger->charged_documents, 0U);
  EXPECT_EQ(Ledger::open(path("ledger")).value()->accounts_of("alice").value().size(), 1U);
}

}  // namespace
}  // namespace sotto
