#include "evaluate/experiment/experiment_spec.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include <sotto/text_values.hpp>

#include "base/message.hpp"
#include "base/suggestion.hpp"
#include "evaluate/experiment/measure_reader.hpp"
#include "evaluate/experiment/yaml_map.hpp"

namespace sotto::evaluate {
namespace {

Result<DatasetSpec> read_dataset_spec(const YamlMap& datasets, const std::string& label) {
  std::vector<std::string_view> keys = {"from", "rows"};
  keys.insert(keys.end(), dataset_keys().begin(), dataset_keys().end());
  SOTTO_ASSIGN(const YamlMap map, datasets.map(label, keys));
  DatasetSpec spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.from, map.text("from", label));
  for (const std::string& key : map.keys()) {
    if (key == "from" || key == "rows") continue;
    if (map.has("from"))
      return map.problem(key, "cannot be given together with 'from', which takes it from the data catalog");
    if (!map.has("path") && !map.has("splits"))
      return map.problem(key, "needs 'path' or 'splits' beside it, which say where the texts are");
    SOTTO_ASSIGN(spec.own, read_dataset(map, label));
    break;
  }
  SOTTO_ASSIGN(const YamlMap rows, map.any_map("rows"));
  for (const std::string& split : rows.keys()) {
    SOTTO_ASSIGN(spec.rows[split], rows.integer(split, 1, 1'000'000'000, 0));
  }
  return spec;
}

Result<ModelSpec> read_model_spec(const YamlMap& models, const std::string& label) {
  SOTTO_ASSIGN(const YamlMap map,
               models.map(label, {"file", "vectors", "limit", "vocabulary", "keep_non_words", "lists_of",
                                  "lists_per_model", "language_model", "device", "precision"}));
  ModelSpec spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.file, map.text("file", {}));
  SOTTO_ASSIGN(spec.vectors, map.text("vectors", {}));
  SOTTO_ASSIGN(spec.list_models, map.texts("lists_of"));
  SOTTO_ASSIGN(spec.language_model, map.text("language_model", {}));
  if (int{!spec.file.empty()} + int{!spec.vectors.empty()} + int{!spec.list_models.empty()} +
          int{!spec.language_model.empty()} !=
      1)
    return models.problem(label, "give one of 'file', 'vectors', 'lists_of' and 'language_model'");
  if (spec.vectors.empty() && (map.has("limit") || map.has("vocabulary") || map.has("keep_non_words")))
    return models.problem(label, "'limit', 'vocabulary' and 'keep_non_words' go with 'vectors' only");
  if (spec.list_models.empty() && map.has("lists_per_model"))
    return models.problem(label, "'lists_per_model' goes with 'lists_of' only");
  if (spec.language_model.empty() && (map.has("device") || map.has("precision")))
    return models.problem(label, "'device' and 'precision' go with 'language_model' only");
  SOTTO_ASSIGN(const std::size_t device, map.choice("device", {kDeviceNames.begin(), kDeviceNames.end()}, 0));
  spec.device = static_cast<Device>(device);
  SOTTO_ASSIGN(const std::size_t precision,
               map.choice("precision", {kPrecisionNames.begin(), kPrecisionNames.end()},
                          static_cast<std::size_t>(Precision::automatic)));
  spec.precision = static_cast<Precision>(precision);
  SOTTO_ASSIGN(spec.limit, map.integer("limit", 1, 1'000'000'000, 0));
  SOTTO_ASSIGN(spec.vocabulary, map.text("vocabulary", {}));
  SOTTO_ASSIGN(spec.keep_non_words, map.flag("keep_non_words", false));
  SOTTO_ASSIGN(const std::uint64_t lists, map.integer("lists_per_model", 1, 16, 1));
  spec.lists_per_model = static_cast<std::uint32_t>(lists);
  return spec;
}

/// A mechanism or parameter that does not exist is a typing mistake.
Result<void> check_mechanism(const YamlMap& map, const ExperimentMechanism& spec) {
  const auto info = find_mechanism(spec.mechanism);
  std::vector<std::string> known;
  if (!info) {
    for (const MechanismInfo& each : mechanisms()) known.push_back(each.name);
    return map.unknown("mechanism", "a mechanism", spec.mechanism, known);
  }
  for (const ParameterInfo& parameter : (*info)->parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : spec.parameters)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return map.unknown("set", fmt::format("a parameter of {}", spec.mechanism), name, known);
  return {};
}

Result<ExperimentMechanism> read_experiment_mechanism(const YamlMap& mechanisms, const std::string& label,
                                                      const std::string& policy) {
  SOTTO_ASSIGN(const YamlMap map, mechanisms.map(label, {"mechanism", "set", "models", "epsilons", "policy",
                                                         "budget", "collocations"}));
  ExperimentMechanism spec;
  spec.label = label;
  SOTTO_ASSIGN(spec.mechanism, map.text("mechanism", label));
  SOTTO_ASSIGN(spec.parameters, map.text_map("set"));
  SOTTO_TRY(check_mechanism(map, spec));
  SOTTO_ASSIGN(spec.models, map.texts("models"));
  SOTTO_ASSIGN(spec.epsilons, map.numbers("epsilons", kSmallestEpsilon, kLargestEpsilon));
  SOTTO_ASSIGN(spec.policy, map.text("policy", policy));
  if (const auto parsed = parse_policy_text(spec.policy); !parsed)
    return map.problem("policy", parsed.error());
  SOTTO_ASSIGN(spec.budget, map.text("budget", {}));
  if (!spec.budget.empty()) {
    const auto named = parse_named_budget(spec.budget);
    if (!named) return map.problem("budget", named.error());
    if (named->strategy == BudgetStrategy::positions)
      return map.problem("budget", "'positions' is not offered here");
    if (named->collocations) spec.collocations = *named->collocations;
  }
  SOTTO_ASSIGN(const std::string method, map.text("collocations", sotto::to_string(spec.collocations)));
  const auto parsed = parse_segmentation("collocations", method, true);
  if (!parsed) return map.problem("collocations", parsed.error());
  spec.collocations = *parsed;
  return spec;
}

template <class Spec>
bool is_label(const std::vector<Spec>& specs, const std::string& label) {
  return std::any_of(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.label == label; });
}

template <class Spec>
Result<void> check_labels(const YamlMap& root, const std::string& place, const std::vector<Spec>& known,
                          const std::vector<std::string>& used) {
  for (const std::string& label : used) {
    if (is_label(known, label)) continue;
    std::vector<std::string> labels;
    labels.reserve(known.size());
    for (const Spec& spec : known) labels.push_back(spec.label);
    return fail(Errc::invalid_argument,
                fmt::format("{}: {} names '{}', which is not in the file{}; {}", root.file(), place, label,
                            base::suggestion(label, labels), there_are(labels)));
  }
  return {};
}

Result<void> check_selection(const YamlMap& root, const std::string& place, const ExperimentSpec& run,
                             const CellSelection& of) {
  SOTTO_TRY(check_labels(root, place + ".datasets", run.datasets, of.datasets));
  SOTTO_TRY(check_labels(root, place + ".models", run.models, of.models));
  return check_labels(root, place + ".mechanisms", run.mechanisms, of.mechanisms);
}

Result<void> check_all_labels(const YamlMap& root, const ExperimentSpec& run) {
  for (const ModelSpec& model : run.models)
    SOTTO_TRY(check_labels(root, "models." + model.label, run.models, model.list_models));
  for (const ExperimentMechanism& mechanism : run.mechanisms) {
    SOTTO_TRY(check_labels(root, "mechanisms." + mechanism.label, run.models, mechanism.models));
    if (mechanism.epsilons.empty() && run.epsilons.empty())
      return fail(Errc::invalid_argument,
                  fmt::format("{}: mechanisms.{} has no epsilons, and neither has the file", root.file(),
                              mechanism.label));
  }
  if (run.words) SOTTO_TRY(check_selection(root, "measures.words", run, run.words->of));
  if (run.texts) SOTTO_TRY(check_selection(root, "measures.texts", run, run.texts->of));
  for (const ClassifierSpec& spec : run.classifiers)
    SOTTO_TRY(check_selection(root, "measures.classifiers." + spec.label, run, spec.of));
  for (const AttackerSpec& spec : run.attackers)
    SOTTO_TRY(check_selection(root, "measures.attackers." + spec.label, run, spec.of));
  for (const InferenceSpec& spec : run.inference) {
    SOTTO_TRY(check_selection(root, "measures.inference." + spec.label, run, spec.of));
    if (!spec.prior.empty())
      SOTTO_TRY(check_labels(root, "measures.inference." + spec.label, run.datasets, {spec.prior}));
  }
  if (!run.report.puc_classifier.empty())
    SOTTO_TRY(check_labels(root, "report.puc_classifier", run.classifiers, {run.report.puc_classifier}));
  return {};
}

Result<void> read_parts(const YamlMap& root, ExperimentSpec& run) {
  SOTTO_TRY(read_entries(root, "datasets", read_dataset_spec, run.datasets));
  SOTTO_TRY(read_entries(root, "models", read_model_spec, run.models));
  SOTTO_ASSIGN(const std::string policy, root.text("policy", "paper"));
  const auto read_mechanism = [&](const YamlMap& mechanisms, const std::string& label) {
    return read_experiment_mechanism(mechanisms, label, policy);
  };
  return read_entries(root, "mechanisms", read_mechanism, run.mechanisms);
}

/// The data catalog: a file beside the run file, or a map in it. One file is enough if it says everything.
Result<void> read_catalog(const YamlMap& root, const std::filesystem::path& file, ExperimentSpec& run) {
  const YAML::Node given = root.node("data");
  if (given.IsDefined() && given.IsMap()) {
    SOTTO_ASSIGN(const YamlMap map, root.map("data", {"datasets", "vectors", "word_lists"}));
    SOTTO_ASSIGN(run.own_catalog, read_data_catalog(map));
    return {};
  }
  constexpr const char* kUsualName = "data.yaml";
  SOTTO_ASSIGN(const std::string name, root.text("data", kUsualName));
  run.catalog = file.parent_path() / name;
  std::error_code ignored;
  if (!root.has("data") && !names_catalog_entries(run) && !std::filesystem::exists(run.catalog, ignored))
    run.catalog.clear();
  return {};
}

Result<ExperimentSpec> read(const YAML::Node& node, const std::filesystem::path& file) {
  SOTTO_ASSIGN(const YamlMap root,
               YamlMap::open(node, file.string(), {},
                             {"title", "about", "seed", "data", "policy", "epsilons", "repetitions",
                              "datasets", "models", "mechanisms", "measures", "report", "quick"}));
  ExperimentSpec run;
  run.file = file;
  SOTTO_ASSIGN(run.title, root.required_text("title"));
  SOTTO_ASSIGN(run.about, root.text("about", {}));
  SOTTO_ASSIGN(run.seed, root.integer("seed", 0, 1'000'000'000'000, 1));
  SOTTO_ASSIGN(run.epsilons, root.numbers("epsilons", kSmallestEpsilon, kLargestEpsilon));
  SOTTO_ASSIGN(run.repetitions, root.integer("repetitions", 1, 10'000, 1));
  SOTTO_TRY(read_parts(root, run));
  SOTTO_TRY(read_measures(root, run));
  SOTTO_TRY(check_all_labels(root, run));
  SOTTO_TRY(read_catalog(root, file, run));
  return run;
}

}  // namespace

Result<Policy> parse_policy_text(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  if (!(words >> word)) return fail(Errc::invalid_argument, "a policy is strict or paper");
  SOTTO_ASSIGN(Policy policy, parse_policy(word));
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return fail(Errc::invalid_argument,
                  fmt::format("'{}' is not part=value, such as stopwords=privatize", word));
    SOTTO_TRY(set_policy_part(policy, word.substr(0, equals), word.substr(equals + 1)));
  }
  return policy;
}

std::set<std::string> used_word_lists(const ExperimentSpec& run) {
  std::set<std::string> names;
  if (run.texts && !run.texts->english.empty()) names.insert(run.texts->english);
  for (const InferenceSpec& inference : run.inference)
    if (!inference.words.empty()) names.insert(inference.words);
  for (const ModelSpec& model : run.models)
    if (!model.vocabulary.empty()) names.insert(model.vocabulary);
  return names;
}

bool names_catalog_entries(const ExperimentSpec& run) {
  return !used_word_lists(run).empty() ||
         std::any_of(run.datasets.begin(), run.datasets.end(),
                     [](const DatasetSpec& spec) { return !spec.own; }) ||
         std::any_of(run.models.begin(), run.models.end(),
                     [](const ModelSpec& spec) { return !spec.vectors.empty(); });
}

Result<ExperimentSpec> read_experiment_spec(const std::filesystem::path& file, bool quick) {
  SOTTO_ASSIGN(YAML::Node node, load_yaml(file));
  try {
    if (quick) {
      if (!node["quick"].IsDefined() || !node["quick"].IsMap())
        return fail(Errc::invalid_argument,
                    base::format_message("{}: {{quick}} needs a map 'quick' in the file", file.string()));
      if (node["quick"]["quick"].IsDefined())  // it would be merged into itself while being read
        return fail(Errc::invalid_argument,
                    fmt::format("{}: 'quick' holds itself a key 'quick'", file.string()));
      merge_yaml(node, node["quick"]);
    }
    return read(node, file);
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid_argument,
                fmt::format("{}: line {}: {}", file.string(), error.mark.line + 1, error.msg));
  }
}

}  // namespace sotto::evaluate
