// Options of choices, tuning, benchmarks and experiments as JSON, and limits that only the command line used
// to check.
#include <cmath>

#include <gtest/gtest.h>

#include <sotto/options_json.hpp>

#include "support/field_count.hpp"
#include "support/option_members.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using Names = std::vector<std::string>;
using Grid = std::map<std::string, Names>;

// As in tests/pipeline/options_json_test.cpp: a new field needs a reader.
static_assert(field_count<ChooseOptions>() == 8);
static_assert(field_count<TuneOptions>() == 14 && field_count<WordTaskOptions>() == 6);
static_assert(field_count<BenchOptions>() == 12 && field_count<ExperimentOptions>() == 7);

TEST(EvaluateOptionsJson, ChooseOptions) {
  using O = ChooseOptions;
  ReaderCheck<O>(
      "choose_options", choose_options_from_json,
      {{"inputs", R"(["a"])", [](const O& o) { return o.files.inputs.size() == 1; }},
       {"format", R"("json")", [](const O& o) { return o.files.format == Format::json; }},
       {"encoding", R"("latin-1")", [](const O& o) { return o.files.encoding == "latin-1"; }},
       {"fields", R"(["x"])", [](const O& o) { return o.files.fields == Names{"x"}; }},
       {"delimiter", R"(";")", [](const O& o) { return o.files.delimiter == ';'; }},
       {"no_header", "true", [](const O& o) { return o.files.no_header; }},
       {"missing", R"("empty")", [](const O& o) { return o.files.missing == MissingField::empty; }},
       {"mechanisms", R"(["tem", {"mechanism": "vickrey", "parameters": {"t": 0.5}, "model": "m"}])",
        [](const O& o) {
          return o.mechanisms.size() == 2 && o.mechanisms[0].name == "tem" &&
                 o.mechanisms[1].name == "vickrey" && o.mechanisms[1].model == "m" &&
                 o.mechanisms[1].parameters == ParameterValues{{"t", "0.5"}};
        }},
       {"public", R"("p")", [](const O& o) { return o.public_text == "p"; }},
       {"use_private", "true", [](const O& o) { return o.use_private; }},
       {"most_recovered", "0.5", [](const O& o) { return o.most_recovered == 0.5; }},
       {"seed", "7", [](const O& o) { return o.seed == 7; }},
       {"threads", "5", [](const O& o) { return o.resources.threads == 5; }},
       {"memory", "6", [](const O& o) { return o.resources.memory == 6; }}})
      .run();
}

TEST(EvaluateOptionsJson, TuneOptions) {
  using O = TuneOptions;
  using Classes = std::vector<std::pair<std::string, std::filesystem::path>>;
  ReaderCheck<O>("tune_options", tune_options_from_json,
                 {{"words", R"("w")", [](const O& o) { return o.task.table == "w"; }},
                  {"class_files", R"({"bad": "n", "good": "p"})",
                   [](const O& o) {
                     return o.task.classes == Classes{{"bad", "n"}, {"good", "p"}};
                   }},
                  {"losses", R"("l")", [](const O& o) { return o.task.losses == "l"; }},
                  {"prior", R"("uniform")", [](const O& o) { return o.task.prior == "uniform"; }},
                  {"outputs", R"("list")", [](const O& o) { return o.task.outputs == "list"; }},
                  {"unlabelled_loss", "0.5", [](const O& o) { return o.task.unlabelled_loss == 0.5; }},
                  {"mechanisms", R"(["tem"])", [](const O& o) { return o.mechanisms == Names{"tem"}; }},
                  {"epsilons", "[1, 5]",
                   [](const O& o) {
                     return o.epsilons == std::vector<double>{1, 5};
                   }},
                  {"grid", R"({"t": [0, "0.5"], "tem.gamma": 1})",
                   [](const O& o) {
                     return o.grid == Grid{{"t", {"0", "0.5"}}, {"tem.gamma", {"1"}}};
                   }},
                  {"models", R"(["m"])", [](const O& o) { return o.models == Names{"m"}; }},
                  {"max_loss", "0.25", [](const O& o) { return o.largest_loss == 0.25; }},
                  {"objective", R"("best-guess")",
                   [](const O& o) { return o.objective == TuneObjective::best_guess_error; }},
                  {"unproven", "true", [](const O& o) { return o.unproven; }},
                  {"draws", "4", [](const O& o) { return o.draws == 4; }},
                  {"confidence", "0.75", [](const O& o) { return o.confidence == 0.75; }},
                  {"plot", R"("f.svg")", [](const O& o) { return o.plot == "f.svg"; }},
                  {"seed", "7", [](const O& o) { return o.seed == 7U; }},
                  {"threads", "5", [](const O& o) { return o.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.resources.memory == 6; }}},
                 R"("max_loss": 1,)")
      .run();
}

TEST(EvaluateOptionsJson, BenchOptions) {
  using O = BenchOptions;
  ReaderCheck<O>("bench_options", bench_options_from_json,
                 {{"mechanisms", R"(["tem"])", [](const O& o) { return o.mechanisms == Names{"tem"}; }},
                  {"epsilon", "2", [](const O& o) { return o.epsilon == 2; }},
                  {"grid", R"({"k": true})",
                   [](const O& o) {
                     return o.grid == Grid{{"k", {"true"}}};
                   }},
                  {"model", R"("m")", [](const O& o) { return o.model == "m"; }},
                  {"words", "7", [](const O& o) { return o.words == 7; }},
                  {"data", R"("d")", [](const O& o) { return o.data == "d"; }},
                  {"format", R"("tsv")", [](const O& o) { return o.format == Format::tsv; }},
                  {"fields", R"(["x"])", [](const O& o) { return o.fields == Names{"x"}; }},
                  {"plot", R"("f.svg")", [](const O& o) { return o.plot == "f.svg"; }},
                  {"seed", "7", [](const O& o) { return o.seed == 7U; }},
                  {"threads", "5", [](const O& o) { return o.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.resources.memory == 6; }}})
      .run();
}

TEST(EvaluateOptionsJson, ExperimentOptions) {
  using O = ExperimentOptions;
  ReaderCheck<O>("experiment_options", experiment_options_from_json,
                 {{"run_file", R"("r.yaml")", [](const O& o) { return o.run_file == "r.yaml"; }},
                  {"quick", "true", [](const O& o) { return o.quick; }},
                  {"output", R"("o")", [](const O& o) { return o.output == "o"; }},
                  {"data", R"("d")", [](const O& o) { return o.data == "d"; }},
                  {"skip_missing", "true", [](const O& o) { return o.skip_missing; }},
                  {"threads", "5", [](const O& o) { return o.threads == 5; }}})
      .run();
}

TEST(EvaluateOptionsJson, NameMembersOfMembers) {
  expect_error(choose_options_from_json(R"({"mechanisms": ["tem", {"mechanism": "cmp", "modle": "m"}]})"),
               Errc::invalid_argument, "mechanisms[1].modle", {"did you mean 'model'?"});
  expect_error(choose_options_from_json(R"({"mechanisms": [{"model": "m"}]})"), Errc::invalid_argument,
               "mechanisms[0].mechanism", {"missing"});
  expect_error(choose_options_from_json(R"({"mechanisms": [3]})"), Errc::invalid_argument, "mechanisms[0]",
               {"a string or an object"});
  expect_error(tune_options_from_json(R"({"grid": {"t": [0, [1]]}})"), Errc::invalid_argument, "grid.t[1]",
               {"must be a string"});
  expect_error(tune_options_from_json(R"({"class_files": {"good": 1}})"), Errc::invalid_argument,
               "class_files.good", {"must be a string"});
  expect_error(tune_options_from_json(R"({"epsilons": [1]})"), Errc::invalid_argument, "max_loss",
               {"missing"});
}

TEST(EvaluateLimits, Losses) {
  TuneOptions options;
  options.epsilons = {1};
  for (const double loss : {-1.0, 1e308, std::nan("")}) {
    options.largest_loss = loss;
    options.task.unlabelled_loss = 1;
    expect_error(tune(options), Errc::invalid_argument, "max_loss", {"from 0 to 1e+09"});
    options.largest_loss = 1;
    options.task.unlabelled_loss = loss;
    expect_error(tune(options), Errc::invalid_argument, "unlabelled_loss", {"from 0 to 1e+09"});
  }
}

TEST(EvaluateLimits, AParameterOfAGridHasValues) {
  TuneOptions tuned;
  tuned.epsilons = {1};
  tuned.grid = {{"t", {}}};
  expect_error(tune(tuned), Errc::invalid_argument, "grid", {"'t' has no values"});
  BenchOptions measured;
  measured.mechanisms = {"vickrey"};
  measured.grid = {{"t", {}}};
  expect_error(bench(measured), Errc::invalid_argument, "grid", {"'t' has no values"});
}

TEST(EvaluateLimits, ABenchmarkWithoutDataHasNoFields) {
  BenchOptions options;
  options.fields = {"text"};
  expect_error(bench(options), Errc::invalid_argument, "field", {"needs data"});
  options.format = Format::csv;
  expect_error(bench(options), Errc::invalid_argument, "format", {"needs data"});
}

}  // namespace
}  // namespace sotto
