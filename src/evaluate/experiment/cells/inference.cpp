// E_M and L_M on a list of words, of several mechanisms at one ε; those that add the same noise share it.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "audit/estimate_json.hpp"
#include "base/hash.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
#include "evaluate/experiment/run_folder.hpp"
#include "evaluate/experiment/seeds.hpp"
#include "evaluate/experiment/yaml_map.hpp"
#include "evaluate/metrics/text_metrics.hpp"
#include "evaluate/tuning/inference_error.hpp"

namespace sotto::evaluate {
namespace {

using WordCounts = std::unordered_map<std::string, std::uint64_t>;

WordCounts count_words(const DataSplit& split) {
  WordCounts counts;
  for (const std::string& text : split.texts.front())
    for (std::string& word : words_of(text)) ++counts[std::move(word)];
  return counts;
}

struct ListedWord {
  std::string word;
  std::string label;
  std::uint64_t count;
};

/// The words with their classes and their counts under the prior, most frequent first.
Result<std::vector<ListedWord>> list_words(const CellContext& context, const InferenceSpec& spec) {
  WordCounts counts;
  if (!spec.prior.empty()) {
    SOTTO_ASSIGN(const DataSplit* split, context.inputs.split(spec.prior, spec.split));
    counts = count_words(*split);
  }
  std::vector<ListedWord> words;
  if (spec.words.empty()) {
    // All in one class, within which nothing is lost: there is an E_M, but no meaningful L_M.
    for (const auto& [word, count] : counts) words.push_back({word, "any", count});
  } else {
    SOTTO_ASSIGN(const LabelledWords* list, context.inputs.word_list(spec.words));
    for (std::size_t i = 0; i < list->words.size(); ++i) {
      // A word that does not occur in the texts may still be the secret; it counts as if seen once.
      const std::uint64_t count = counts.contains(list->words[i]) ? counts[list->words[i]] : 0;
      words.push_back({list->words[i], list->classes[i], spec.prior.empty() ? 1 : count + 1});
    }
  }
  std::sort(words.begin(), words.end(), [](const ListedWord& a, const ListedWord& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });
  if (spec.limit > 0 && words.size() > spec.limit) words.resize(spec.limit);
  return words;
}

/// Lines "word<TAB>class<TAB>count", shared by all cells of the measure.
Result<std::string> word_table(const CellContext& context, const InferenceSpec& spec) {
  const std::scoped_lock lock(context.shared.mutex);
  const auto found = context.shared.tables.find(spec.label);
  if (found != context.shared.tables.end()) return found->second;
  SOTTO_ASSIGN(const std::vector<ListedWord> words, list_words(context, spec));
  std::string table;
  for (const ListedWord& word : words)
    table += fmt::format("{}\t{}\t{}\n", word.word, word.label, word.count);
  context.shared.tables.emplace(spec.label, table);
  return table;
}

Result<nlohmann::json> inference_identity(const CellContext& context, const Cell& cell) {
  const InferenceSpec& spec = find_inference(context.run, cell.measure);
  nlohmann::json mechanisms = nlohmann::json::object();
  for (const ExperimentMechanism* mechanism : inference_mechanisms(context.run, cell)) {
    SOTTO_ASSIGN(mechanisms[mechanism->label],
                 context.cache_keys.mechanism(*mechanism, cell.epsilon, cell.model));
  }
  SOTTO_ASSIGN(const std::string words, word_table(context, spec));
  return nlohmann::json{{"kind", "inference"},
                        {"mechanisms", std::move(mechanisms)},
                        {"words", base::to_hex(base::sha256(words))},
                        {"draws", spec.draws},
                        {"outputs", spec.outputs},
                        {"seed", context.run.seed},
                        {"versions", context.cache_keys.versions()}};
}

nlohmann::ordered_json as_json(const TradeOff& point, bool has_classes) {
  if (point.refusal) return {{"refusal", describe_for_run_file(*point.refusal)}};
  const auto add = [](nlohmann::ordered_json& json, const std::string& name, const Estimate& estimate) {
    json[name] = estimate.value;
    json[name + "_interval"] = audit::interval_json(estimate);
  };
  nlohmann::ordered_json json = {{"exact", point.exact}};
  add(json, "e_m", point.inference_error);
  add(json, "best_guess_error", point.best_guess_error);
  if (has_classes) add(json, "l_m", point.utility_loss);
  add(json, "changed", point.changed);
  return json;
}

Result<nlohmann::ordered_json> compute_inference(const CellContext& context, const Cell& cell) {
  const InferenceSpec& spec = find_inference(context.run, cell.measure);
  SOTTO_ASSIGN(const std::string content, word_table(context, spec));
  WordTaskOptions task_options;
  // For this cell alone, since several may run concurrently.
  task_options.table =
      context.work / fmt::format("{}.tsv", base::to_hex(base::sha256(to_json(cell).dump())).substr(0, 16));
  task_options.outputs = spec.outputs;
  SOTTO_TRY(write_whole_file(*task_options.table, content));
  SOTTO_ASSIGN(const PreparedModel* prepared, context.inputs.model(cell.model));
  SOTTO_ASSIGN(const auto model, Model::open(prepared->path));
  SOTTO_ASSIGN(const WordTask task, WordTask::read(model, task_options));
  const auto mechanisms = inference_mechanisms(context.run, cell);
  std::vector<MechanismVariant> variants;
  variants.reserve(mechanisms.size());
  for (const ExperimentMechanism* mechanism : mechanisms)
    variants.push_back({mechanism->mechanism, mechanism->parameters});
  InferenceErrorOptions options;
  options.draws = spec.draws;
  options.confidence = 0.95;
  options.seed = experiment_seed(context.run.seed, fmt::format("inference {}", cell.epsilon));
  options.resources.threads = 1;
  options.progress = context.progress();
  SOTTO_ASSIGN(const std::vector<TradeOff> points,
               measure_inference_error(task, variants, std::vector<double>{cell.epsilon}, options));
  nlohmann::ordered_json json = {{"listed", task.listed}, {"covered", task.model->size()}};
  for (std::size_t i = 0; i < points.size(); ++i)
    json["mechanisms"][mechanisms[i]->label] = as_json(points[i], !spec.words.empty());
  return json;
}

}  // namespace

const CellType& inference_cell() {
  static const CellType type = {inference_identity, no_texts, compute_inference};
  return type;
}

}  // namespace sotto::evaluate
