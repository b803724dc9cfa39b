#include "evaluate/experiment/grid.hpp"

#include <map>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::evaluate;

ExperimentSpec small_run() {
  ExperimentSpec run;
  run.epsilons = {1, 5};
  run.repetitions = 2;
  run.datasets = {{"A", "a", {}, {}}, {"B", "b", {}, {}}};
  run.models.resize(2);
  run.models[0].label = "vectors";
  run.models[1].label = "lists";
  ExperimentMechanism cmp;
  cmp.label = "CMP";
  cmp.models = {"vectors"};
  ExperimentMechanism vickrey;
  vickrey.label = "Vickrey";
  vickrey.models = {"vectors"};
  vickrey.epsilons = {5};
  ExperimentMechanism diffractor;
  diffractor.label = "1-D";
  diffractor.models = {"lists"};
  run.mechanisms = {cmp, vickrey, diffractor};
  return run;
}

std::map<std::string, int> count_kinds(const std::vector<Cell>& cells) {
  std::map<std::string, int> counts;
  for (const Cell& cell : cells)
    ++counts[std::string(to_string(cell.kind)) + (cell.mechanism.empty() ? "0" : "")];
  return counts;
}

// CMP and 1-D at two ε, Vickrey at one: five settings.
constexpr int kSettings = 5;

TEST(Grid, HasEveryCombinationOnce) {
  ExperimentSpec run = small_run();
  run.words.emplace();
  run.texts.emplace();
  run.texts->metrics = {"pp", "cs"};
  run.texts->of.datasets = {"B"};
  ClassifierSpec classifier;
  classifier.label = "fast";
  classifier.runs = 3;
  classifier.baseline_runs = 4;
  run.classifiers = {classifier};
  const auto cells = make_grid(run);
  const auto counts = count_kinds(cells);
  EXPECT_EQ(counts.at("words"), 2 * kSettings);
  EXPECT_EQ(counts.at("overlap"), kSettings * 2) << "one data set, two repetitions";
  EXPECT_EQ(counts.at("overlap0"), 1) << "original texts";
  EXPECT_EQ(counts.at("similarity"), kSettings * 2);
  EXPECT_FALSE(counts.contains("perplexity"));
  EXPECT_EQ(counts.at("classify"), 2 * kSettings * 2 * 3);
  EXPECT_EQ(counts.at("classify0"), 2 * 4);
  std::map<std::string, int> seen;
  for (const Cell& cell : cells) EXPECT_EQ(++seen[to_json(cell).dump()], 1);
}

TEST(Grid, SelectionsLeaveOut) {
  ExperimentSpec run = small_run();
  run.words.emplace();
  run.words->of = {{"A"}, {"vectors"}, {"CMP", "Vickrey"}, {5}};
  EXPECT_EQ(make_grid(run).size(), 2U);
  run.words->of = {{}, {"lists"}, {"CMP"}, {}};
  EXPECT_TRUE(make_grid(run).empty()) << "CMP does not use lists";
  run.words->of = {};
  run.words->from_texts = false;
  EXPECT_EQ(make_grid(run).size(), static_cast<std::size_t>(kSettings)) << "no data set needed";
}

TEST(Grid, AttackersHaveModesAndABaseline) {
  ExperimentSpec run = small_run();
  AttackerSpec attacker;
  attacker.label = "gender";
  attacker.runs = 1;
  attacker.of.datasets = {"A"};
  run.attackers = {attacker};
  std::map<std::string, int> modes;
  for (const Cell& cell : make_grid(run)) ++modes[cell.mode];
  EXPECT_EQ(modes, (std::map<std::string, int>{{"unprotected", 1}, {"static", 10}, {"adaptive", 10}}));
}

TEST(Grid, ABaselineThatUsesTheModelIsMeasuredForEachOne) {
  ExperimentSpec run = small_run();
  ClassifierSpec classifier;
  classifier.label = "lstm";
  classifier.parameters = {{"vectors", "@model"}};
  classifier.runs = classifier.baseline_runs = 1;
  classifier.of.datasets = {"A"};
  run.classifiers = {classifier};
  EXPECT_EQ(count_kinds(make_grid(run)).at("classify0"), 2);
}

TEST(Grid, MechanismsOfOneEpsilonAreInferredTogether) {
  ExperimentSpec run = small_run();
  InferenceSpec inference;
  inference.label = "words";
  inference.of.models = {"vectors"};
  run.inference = {inference};
  const auto cells = make_grid(run);
  ASSERT_EQ(cells.size(), 2U) << "ε 1 and 5";
  EXPECT_EQ(inference_mechanisms(run, cells[0]).size(), 1U);
  EXPECT_EQ(inference_mechanisms(run, cells[1]).size(), 2U);
}

}  // namespace
}  // namespace sotto
