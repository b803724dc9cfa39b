#include "evaluate/experiment/measure_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/text_values.hpp>
#include <sotto/tune.hpp>

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/metrics/word_metrics.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::array<std::string_view, 7> kTextMetricNames = {"pp",   "cs",     "low",       "english",
                                                              "bleu", "length", "perplexity"};

using Keys = std::vector<std::string_view>;

Keys with_selection(Keys keys) {
  keys.insert(keys.end(), {"datasets", "models", "mechanisms", "epsilons"});
  return keys;
}

Result<CellSelection> read_selection(const YamlMap& map) {
  CellSelection of;
  SOTTO_ASSIGN(of.datasets, map.texts("datasets"));
  SOTTO_ASSIGN(of.models, map.texts("models"));
  SOTTO_ASSIGN(of.mechanisms, map.texts("mechanisms"));
  SOTTO_ASSIGN(of.epsilons, map.numbers("epsilons", kSmallestEpsilon, kLargestEpsilon));
  return of;
}

Result<WordsMeasure> read_words(const YamlMap& measures) {
  SOTTO_ASSIGN(const YamlMap map,
               measures.map("words", with_selection({"protocol", "words", "draws", "repetitions", "from",
                                                     "split", "sampled"})));
  WordsMeasure measure;
  SOTTO_ASSIGN(measure.of, read_selection(map));
  SOTTO_ASSIGN(const std::string name, map.text("protocol", "comparative"));
  const auto protocol = word_protocol(name);
  if (!protocol) return map.problem("protocol", protocol.error());
  SOTTO_ASSIGN(measure.words, map.integer("words", 1, 1'000'000, protocol->words));
  SOTTO_ASSIGN(measure.draws, map.integer("draws", 1, 1'000'000, protocol->draws));
  SOTTO_ASSIGN(measure.repetitions, map.integer("repetitions", 1, 1'000'000, 1));
  SOTTO_ASSIGN(const std::size_t from,
               map.choice("from", {"vocabulary", "texts"}, protocol->from_texts ? 1 : 0));
  measure.from_texts = from == 1;
  SOTTO_ASSIGN(measure.split, map.text("split", "test"));
  SOTTO_ASSIGN(measure.sampled, map.flag("sampled", false));
  return measure;
}

Result<TextsMeasure> read_texts(const YamlMap& measures) {
  SOTTO_ASSIGN(const YamlMap map,
               measures.map("texts", with_selection({"split", "metrics", "least_occurring", "english",
                                                     "similarity", "similarity_model", "language_model"})));
  TextsMeasure measure;
  SOTTO_ASSIGN(measure.of, read_selection(map));
  SOTTO_ASSIGN(measure.split, map.text("split", "test"));
  SOTTO_ASSIGN(measure.metrics, map.texts("metrics"));
  if (measure.metrics.empty()) measure.metrics = {"pp", "cs", "low", "english", "bleu", "length"};
  for (const std::string& metric : measure.metrics)
    if (std::find(kTextMetricNames.begin(), kTextMetricNames.end(), metric) == kTextMetricNames.end())
      return map.unknown("metrics", "a metric", metric, {kTextMetricNames.begin(), kTextMetricNames.end()});
  SOTTO_ASSIGN(measure.least_occurring, map.integer("least_occurring", 1, 1'000'000'000, 1000));
  SOTTO_ASSIGN(measure.english, map.text("english", {}));
  SOTTO_ASSIGN(measure.similarity, map.text("similarity", "average"));
  SOTTO_ASSIGN(measure.similarity_model, map.text("similarity_model", {}));
  SOTTO_ASSIGN(measure.language_model, map.text("language_model", {}));
  return measure;
}

/// Kinds that need a library are known without it; any other name is a typing mistake.
Result<void> check_classifier(const YamlMap& map, const std::string& kind,
                              const ParameterValues& parameters) {
  std::vector<std::string> known;
  for (const ClassifierInfo& info : classifiers()) {
    known.push_back(info.name);
    if (info.name != kind) continue;
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : info.parameters) names.push_back(parameter.name);
    for (const auto& [name, value] : parameters)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return map.unknown("set", fmt::format("a parameter of {}", kind), name, names);
    return {};
  }
  return map.unknown("kind", "a classifier", kind, known);
}

Result<ClassifierSpec> read_classifier(const YamlMap& classifiers, const std::string& label) {
  SOTTO_ASSIGN(const YamlMap map,
               classifiers.map(label, with_selection({"kind", "set", "runs", "baseline_runs"})));
  ClassifierSpec spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.of, read_selection(map));
  SOTTO_ASSIGN(spec.kind, map.text("kind", label));
  SOTTO_ASSIGN(spec.parameters, map.text_map("set"));
  SOTTO_TRY(check_classifier(map, spec.kind, spec.parameters));
  SOTTO_ASSIGN(spec.runs, map.integer("runs", 1, 10'000, 3));
  SOTTO_ASSIGN(spec.baseline_runs, map.integer("baseline_runs", 1, 10'000, spec.runs));
  return spec;
}

Result<AttackerSpec> read_attacker(const YamlMap& attackers, const std::string& label) {
  SOTTO_ASSIGN(const YamlMap map,
               attackers.map(label, with_selection({"kind", "set", "attribute", "modes", "runs"})));
  AttackerSpec spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.of, read_selection(map));
  SOTTO_ASSIGN(spec.kind, map.text("kind", label));
  SOTTO_ASSIGN(spec.parameters, map.text_map("set"));
  SOTTO_TRY(check_classifier(map, spec.kind, spec.parameters));
  SOTTO_ASSIGN(spec.attribute, map.required_text("attribute"));
  SOTTO_ASSIGN(spec.runs, map.integer("runs", 1, 10'000, 3));
  SOTTO_ASSIGN(std::vector<std::string> modes, map.texts("modes"));
  if (modes.empty()) modes = {"static", "adaptive"};
  const auto has = [&](std::string_view mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  };
  spec.is_static = has("static");
  spec.adaptive = has("adaptive");
  if (std::size_t{spec.is_static} + std::size_t{spec.adaptive} != modes.size())
    return map.problem("modes", "must be static, adaptive or both");
  return spec;
}

Result<InferenceSpec> read_inference(const YamlMap& inference, const std::string& label) {
  SOTTO_ASSIGN(const YamlMap map, inference.map(label, {"words", "prior", "split", "draws", "limit",
                                                        "outputs", "models", "mechanisms", "epsilons"}));
  InferenceSpec spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.of, read_selection(map));
  SOTTO_ASSIGN(spec.words, map.text("words", {}));
  SOTTO_ASSIGN(spec.prior, map.text("prior", {}));
  if (spec.words.empty() && spec.prior.empty())
    return inference.problem(label, "needs 'words', a word list, or 'prior', a data set, or both");
  SOTTO_ASSIGN(spec.split, map.text("split", "train"));
  SOTTO_ASSIGN(spec.draws, map.integer("draws", 2, 100'000, 100));
  SOTTO_ASSIGN(spec.limit, map.integer("limit", 2, 10'000'000, 0));
  SOTTO_ASSIGN(const std::size_t outputs,
               map.choice("outputs", {kWordTaskOutputNames.begin(), kWordTaskOutputNames.end()}, 0));
  spec.outputs = kWordTaskOutputNames[outputs];
  return spec;
}

Result<ReportSpec> read_report(const YamlMap& root) {
  SOTTO_ASSIGN(const YamlMap map,
               root.map("report", {"puc_alphas", "puc_classifier", "regression", "utility", "notes"}));
  ReportSpec report;
  SOTTO_ASSIGN(report.puc_alphas, map.numbers("puc_alphas", 0, 1));
  SOTTO_ASSIGN(report.puc_classifier, map.text("puc_classifier", {}));
  SOTTO_ASSIGN(report.regression, map.flag("regression", false));
  constexpr std::array<std::string_view, 4> kScores = {"auto", "accuracy", "micro_f1", "macro_f1"};
  SOTTO_ASSIGN(const std::size_t utility, map.choice("utility", {kScores.begin(), kScores.end()}, 0));
  report.utility = kScores[utility];
  SOTTO_ASSIGN(report.notes, map.texts("notes"));
  return report;
}

}  // namespace

Result<void> read_measures(const YamlMap& root, ExperimentSpec& run) {
  SOTTO_ASSIGN(const YamlMap measures,
               root.map("measures", {"words", "texts", "classifiers", "attackers", "inference"}));
  if (measures.keys().empty())
    return root.problem("measures",
                        "must name at least one of words, texts, classifiers, attackers, inference");
  if (measures.has("words")) {
    SOTTO_ASSIGN(run.words, read_words(measures));
  }
  if (measures.has("texts")) {
    SOTTO_ASSIGN(run.texts, read_texts(measures));
  }
  SOTTO_TRY(read_entries(measures, "classifiers", read_classifier, run.classifiers));
  SOTTO_TRY(read_entries(measures, "attackers", read_attacker, run.attackers));
  SOTTO_TRY(read_entries(measures, "inference", read_inference, run.inference));
  SOTTO_ASSIGN(run.report, read_report(root));
  return {};
}

}  // namespace sotto::evaluate
