#include "evaluate/experiment/experiment_spec.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "evaluate/experiment/data_catalog.hpp"
#include "evaluate/experiment/yaml_map.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;

constexpr const char* kWhole = R"(title: A run
seed: 7
epsilons: [1, 5]
repetitions: 2
datasets:
  Reviews: {from: imdb, rows: {train: 100, test: 20}}
models:
  Small: {vectors: glove-50, limit: 500}
  Shipped: {file: sotto-en-lists}
mechanisms:
  CMP: {mechanism: cmp, models: Small}
  Vickrey: {mechanism: vickrey, set: {t: 0.5}, models: [Small], epsilons: 3}
  Lists: {mechanism: diffractor-geometric, models: Shipped, policy: strict}
measures:
  words: {protocol: diffractor, draws: 50}
  texts: {metrics: [pp, cs]}
  classifiers:
    Fast: {kind: fasttext, runs: 2}
  attackers:
    Gender: {kind: fasttext, attribute: gender, modes: static, mechanisms: [CMP]}
  inference:
    Lexicon: {words: opinion, draws: 30}
report: {puc_alphas: [0.75, 0.25], regression: true}
quick:
  epsilons: 1
  datasets: {Reviews: {rows: {train: 10}}}
  mechanisms: {Lists: null}
)";

class ExperimentSpecTest : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view content) const {
    const auto file = folder_.path() / "run.yaml";
    std::ofstream(file) << content;
    return file;
  }
  Result<ExperimentSpec> read(std::string_view content, bool quick = false) const {
    return read_experiment_spec(write(content), quick);
  }
  /// Reads the whole file with one piece of it replaced.
  Result<ExperimentSpec> read_with(const std::string& from, const std::string& to) const {
    std::string content = kWhole;
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    content.replace(at, from.size(), to);
    return read(content);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ExperimentSpecTest, ReadsEveryPart) {
  const ExperimentSpec run = read(kWhole).value();
  EXPECT_EQ(run.title, "A run");
  EXPECT_EQ(run.seed, 7U);
  EXPECT_EQ(run.epsilons, (std::vector<double>{1, 5}));
  EXPECT_EQ(run.repetitions, 2U);
  ASSERT_EQ(run.datasets.size(), 1U);
  EXPECT_EQ(run.datasets[0].from, "imdb");
  EXPECT_EQ(run.datasets[0].rows.at("test"), 20U);
  ASSERT_EQ(run.models.size(), 2U);
  EXPECT_EQ(run.models[0].limit, 500U);
  ASSERT_EQ(run.mechanisms.size(), 3U);
  EXPECT_EQ(run.mechanisms[1].parameters.at("t"), "0.5");
  EXPECT_EQ(run.mechanisms[1].epsilons, std::vector<double>{3});
  EXPECT_EQ(run.mechanisms[0].policy, "paper");
  EXPECT_EQ(run.mechanisms[2].policy, "strict");
  ASSERT_TRUE(run.words);
  EXPECT_EQ(run.words->words, 100U) << "of the protocol";
  EXPECT_EQ(run.words->draws, 50U);
  EXPECT_FALSE(run.words->from_texts);
  EXPECT_EQ(run.classifiers[0].baseline_runs, 2U) << "as many as runs";
  EXPECT_TRUE(run.attackers[0].is_static);
  EXPECT_FALSE(run.attackers[0].adaptive);
  EXPECT_EQ(run.inference[0].draws, 30U);
  EXPECT_EQ(run.report.puc_alphas, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(run.catalog, folder_.path() / "data.yaml");
}

TEST_F(ExperimentSpecTest, ALanguageModelRunsAsItIsTold) {
  const auto plain = read_with("{file: sotto-en-lists}", "{language_model: folder}");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->models[1].language_model, "folder");
  EXPECT_EQ(plain->models[1].device, Device::cpu);
  EXPECT_EQ(plain->models[1].precision, Precision::automatic);
  const auto told =
      read_with("{file: sotto-en-lists}", "{language_model: folder, device: cuda, precision: int8}");
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->models[1].device, Device::cuda);
  EXPECT_EQ(told->models[1].precision, Precision::int8);
}

TEST_F(ExperimentSpecTest, ABudgetByNameDeterminesTheCollocations) {
  const auto collocations = [&](const std::string& options) {
    const auto run = read_with("models: Small}", "models: Small, " + options + "}");
    EXPECT_TRUE(run) << run.error().message;
    return run.value().mechanisms[0].collocations;
  };
  EXPECT_EQ(collocations("budget: token"), Segmentation::none);
  EXPECT_EQ(collocations("budget: even"), Segmentation::none);
  EXPECT_EQ(collocations("budget: S1"), Segmentation::none);
  EXPECT_EQ(collocations("budget: S2"), Segmentation::gst);
  EXPECT_EQ(collocations("budget: S3"), Segmentation::gst);
  EXPECT_EQ(collocations("budget: S4"), Segmentation::mst);
  EXPECT_EQ(collocations("budget: S3, collocations: optimal"), Segmentation::optimal) << "overridden";
  expect_error(read_with("models: Small}", "models: Small, budget: positions}"), Errc::invalid_argument,
               {"mechanisms.CMP.budget", "'positions' is not offered"});
}

TEST_F(ExperimentSpecTest, QuickIsLaidUponTheRest) {
  const ExperimentSpec run = read(kWhole, true).value();
  EXPECT_EQ(run.epsilons, std::vector<double>{1});
  EXPECT_EQ(run.datasets[0].rows.at("train"), 10U);
  EXPECT_EQ(run.datasets[0].rows.at("test"), 20U) << "not mentioned, so as before";
  EXPECT_EQ(run.mechanisms.size(), 2U) << "null removes an entry";
  std::string without = kWhole;
  without.resize(without.find("quick:"));
  expect_error(read(without, true), Errc::invalid_argument, {"quick needs", "'quick'"});
}

TEST_F(ExperimentSpecTest, ErrorsNameTheLineAndWhatIsAllowed) {
  struct Case {
    std::string from, to;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"seed: 7", "sead: 7", {"line 2", "'sead'", "allowed", "seed", "epsilons"}},
      {"seed: 7", "title: again", {"line 2", "'title'", "twice"}},
      {"title: A run\n", "", {"title", "missing"}},
      {"epsilons: [1, 5]", "epsilons: [1, x]", {"line 3: epsilons: 'x'"}},
      {"epsilons: [1, 5]", "epsilons: [0]", {"line 3", "epsilons", "'0'"}},
      {"epsilons: [1, 5]", "epsilons: []", {"line 3", "epsilons", "empty list"}},
      {"epsilons: [1, 5]\n", "", {"mechanisms.CMP", "no epsilons"}},
      {"repetitions: 2", "repetitions: -1", {"line 4", "repetitions", "'-1'"}},
      {"{from: imdb, rows", "{form: imdb, rows", {"line 6", "'form'", "datasets.Reviews", "from, rows"}},
      {"test: 20", "test: many", {"line 6", "datasets.Reviews.rows.test", "'many'"}},
      {"{file: sotto-en-lists}", "{}", {"line 9", "models.Shipped", "one of"}},
      {"{file: sotto-en-lists}",
       "{file: sotto-en-lists, precision: int8}",
       {"line 9", "models.Shipped", "language_model"}},
      {"{file: sotto-en-lists}",
       "{language_model: x, precision: int9}",
       {"line 9", "precision", "f32 or int8 or auto"}},
      {"limit: 500", "limt: 500", {"line 8", "'limt'", "allowed"}},
      {"models: Small}", "models: Smal}", {"mechanisms.CMP", "'Smal'", "Small, Shipped"}},
      {"policy: strict", "policy: lax", {"line 13: mechanisms.Lists.policy: 'lax'"}},
      {"policy: strict",
       "policy: strict stopwords=drop",
       {"line 13: mechanisms.Lists.policy: stopwords: 'drop'"}},
      {"policy: strict", "budget: S9", {"line 13: mechanisms.Lists.budget: 'S9'"}},
      {"protocol: diffractor", "protocol: none", {"line 15", "measures.words.protocol", "none"}},
      {"[pp, cs]", "[pp, xx]", {"line 16", "'xx'", "perplexity"}},
      {"attribute: gender, ", "", {"measures.attackers.Gender.attribute", "missing"}},
      {"modes: static", "modes: dynamic", {"line 20", "modes", "static, adaptive"}},
      {"mechanisms: [CMP]", "mechanisms: [XMP]", {"measures.attackers.Gender.mechanisms", "'XMP'", "CMP"}},
      {"words: opinion, ", "", {"line 22", "measures.inference.Lexicon", "'words'", "'prior'"}},
      {"puc_alphas: [0.75, 0.25]", "puc_alphas: [2]", {"line 23", "report.puc_alphas", "'2'"}},
      {"regression: true", "regression: maybe", {"line 23", "report.regression", "'maybe'"}},
      {"{from: imdb, rows: {train: 100, test: 20}}", "3", {"line 6", "datasets.Reviews", "map"}},
      {"seed: 7", "seed: [7", {"line"}},
      // Typing mistakes, with what was meant.
      {"seed: 7", "sead: 7", {"did you mean 'seed'"}},
      {"repetitions: 2", "repetition: 2", {"did you mean 'repetitions'"}},
      {"{mechanism: cmp,",
       "{mechanism: cpm,",
       {"line 11", "mechanisms.CMP.mechanism", "'cpm'", "did you mean 'cmp'"}},
      {"{mechanism: diffractor-geometric",
       "{mechanism: diffractor_geometrc",
       {"did you mean 'diffractor-geometric'"}},
      {"{t: 0.5}", "{tt: 0.5}", {"mechanisms.Vickrey.set", "'tt'", "did you mean 't'"}},
      {"[pp, cs]", "[pp, perplexty]", {"measures.texts.metrics", "did you mean 'perplexity'"}},
      {"models: Small}", "models: small}", {"did you mean 'Small'"}},
      {"{kind: fasttext, runs: 2}",
       "{kind: fastext}",
       {"measures.classifiers.Fast.kind", "did you mean 'fasttext'"}},
      {"{kind: fasttext, runs: 2}",
       "{kind: fasttext, set: {epoch: 3}}",
       {"set", "'epoch'", "did you mean 'epochs'"}},
      {"{kind: fasttext, attribute", "{kind: fasttxt, attribute", {"did you mean 'fasttext'"}},
      {"{from: imdb, rows", "{form: imdb, rows", {"did you mean 'from'"}},
      {"regression: true", "regresion: true", {"did you mean 'regression'"}},
      // Data sets in the run file.
      {"{from: imdb, rows", "{from: imdb, label: x, rows", {"datasets.Reviews.label", "'from'"}},
      {"{from: imdb, rows", "{label: x, rows", {"datasets.Reviews.label", "'path' or 'splits'"}},
      {"{from: imdb, rows",
       "{path: a.csv, splits: {train: a.csv}, rows",
       {"datasets.Reviews.path", "'splits'"}},
      {"{from: imdb, rows", "{path: a.csv, test: 1.5, rows", {"datasets.Reviews.test", "'1.5'"}},
      {"{from: imdb, rows",
       "{splits: {train: a.csv}, header: false, rows",
       {"datasets.Reviews.header", "'path'"}},
      {"{from: imdb, rows", "{path: a.csv, header: false, rows", {"datasets.Reviews.header", "'columns'"}},
      {"seed: 7", "data: {dataset: {}}", {"did you mean 'datasets'"}},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.to);
    expect_error(read_with(wrong.from, wrong.to), Errc::invalid_argument, wrong.parts);
  }
}

TEST_F(ExperimentSpecTest, ParametersAreNamedByTheirKeys) {
  const auto named = [](std::string_view parameter) {
    return describe_for_run_file(fail_parameter(parameter, "0", "'0' is not allowed").value());
  };
  EXPECT_EQ(named("parameters.k"), "set.k: '0' is not allowed");
  EXPECT_EQ(named("parameters"), "set: '0' is not allowed");
  EXPECT_EQ(named("epsilon"), "epsilons: '0' is not allowed");
  EXPECT_EQ(named("policy"), "policy: '0' is not allowed");
}

TEST_F(ExperimentSpecTest, AFileThatIsNotThereOrNoMapIsRefused) {
  expect_error(read_experiment_spec(folder_.path() / "none.yaml", false), Errc::not_found, {"none.yaml"});
  expect_error(read("- a\n- b\n"), Errc::invalid_argument, {"map"});
  expect_error(read("title: x\n"), Errc::invalid_argument, {"measures"});
}

TEST_F(ExperimentSpecTest, PoliciesCanBeChangedInParts) {
  EXPECT_EQ(parse_policy_text("paper stopwords=privatize")->stopwords, StopwordPolicy::privatize);
  EXPECT_EQ(parse_policy_text("paper")->stopwords, StopwordPolicy::keep);
  EXPECT_FALSE(parse_policy_text(""));
  EXPECT_FALSE(parse_policy_text("paper stopwords"));
  EXPECT_FALSE(parse_policy_text("paper stopwords=no"));
}

// One file is enough for one data set: neither a catalog nor splits are needed.
TEST_F(ExperimentSpecTest, TheDataMayBeDescribedInTheRunFile) {
  std::string content = kWhole;
  const auto replace = [&](const std::string& from, const std::string& to) {
    content.replace(content.find(from), from.size(), to);
  };
  replace("{from: imdb, rows: {train: 100, test: 20}}",
          "{path: reviews.tsv.gz, text: review, label: stars, test: 0.3}");
  const auto needs_catalog = read(content);
  ASSERT_TRUE(needs_catalog) << needs_catalog.error().message;
  EXPECT_EQ(needs_catalog->catalog, folder_.path() / "data.yaml") << "for the vectors and the word list";
  replace("{vectors: glove-50, limit: 500}", "{file: sotto-en-skipgram}");
  replace("  inference:\n    Lexicon: {words: opinion, draws: 30}\n", "");
  const auto alone = read(content);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_TRUE(alone->catalog.empty());
  const DatasetEntry& entry = alone->datasets[0].own.value();
  EXPECT_EQ(entry.label, "stars");
  EXPECT_EQ(entry.text, std::vector<std::string>{"review"});
  ASSERT_EQ(entry.splits.size(), 2U);
  EXPECT_EQ(entry.splits[0].format, Format::tsv);
  EXPECT_EQ(entry.file_of("test"), &entry.splits[0]);
  EXPECT_DOUBLE_EQ(entry.splits[1].share, 0.3);
  EXPECT_EQ(entry.file_of("validation"), nullptr);
  const auto inside = read_with(
      "seed: 7", "data: {datasets: {imdb: {splits: {test: a.csv}}}, vectors: {glove-50: {path: g.txt}}}");
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_TRUE(inside->own_catalog->datasets.contains("imdb"));
  EXPECT_TRUE(inside->catalog.empty());
}

TEST_F(ExperimentSpecTest, TheCatalogIsReadStrictly) {
  const auto catalog = [&](std::string_view content) { return read_data_catalog(write(content)); };
  const DataCatalog good =
      catalog(
          "datasets:\n  a: {text: [x, y], privatize: x, label: l, splits: {train: t.tsv.xz, "
          "test: {from: train, share: 0.1}}}\nvectors: {v: {path: v.txt}}\n"
          "word_lists: {w: {classes: {good: g.txt, bad: b.txt}}}\n")
          .value();
  EXPECT_EQ(good.datasets.at("a").splits[0].format, Format::tsv) << "by the name inside the packing";
  EXPECT_EQ(good.datasets.at("a").splits[1].from, "train");
  EXPECT_EQ(good.word_lists.at("w").files.size(), 2U);
  expect_error(catalog("datasets: {a: {splits: {}}}\n"), Errc::invalid_argument, {"datasets.a.splits"});
  expect_error(catalog("datasets: {a: {splits: {t: {from: u, share: 0.5}}}}\n"), Errc::invalid_argument,
               {"'t'", "'u'"});
  expect_error(catalog("datasets: {a: {splits: {t: {path: x.csv, header: false}}}}\n"),
               Errc::invalid_argument, {"columns"});
  expect_error(catalog("datasets: {a: {text: [a, b, c], splits: {t: x.csv}}}\n"), Errc::invalid_argument,
               {"two for pairs"});
  expect_error(catalog("datasets: {a: {privatize: z, splits: {t: x.csv}}}\n"), Errc::invalid_argument,
               {"'z'"});
  const auto delimiter = [&](const std::string& value, const std::string& file) {
    return catalog("datasets: {a: {splits: {t: {path: " + file + ", delimiter: '" + value + "'}}}}\n");
  };
  EXPECT_EQ(delimiter("tab", "x.csv")->datasets.at("a").splits[0].delimiter, '\t');
  expect_error(delimiter("tt", "x.csv"), Errc::invalid_argument, {"delimiter", "one character"});
  expect_error(delimiter(";", "x.tsv"), Errc::invalid_argument, {"delimiter", "csv only"});
  EXPECT_EQ(catalog("datasets: {a: {splits: {t: x.json.gz}}}\n")->datasets.at("a").splits[0].format,
            Format::json);
  expect_error(catalog("vectors: {v: {}}\n"), Errc::invalid_argument, {"vectors.v.path", "missing"});
  expect_error(catalog("word_lists: {w: {}}\n"), Errc::invalid_argument, {"word_lists.w"});
}

}  // namespace
}  // namespace sotto
