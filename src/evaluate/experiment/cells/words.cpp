// N_w and S_w of a mechanism on words of a data set or of the vocabulary.

#include "audit/estimate_json.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
#include "evaluate/experiment/seeds.hpp"
#include "evaluate/metrics/word_metrics.hpp"

namespace sotto::evaluate {
namespace {

Result<nlohmann::json> words_identity(const CellContext& context, const Cell& cell) {
  const WordsMeasure& measure = *context.run.words;
  const ExperimentMechanism& spec = find_experiment_mechanism(context.run, cell.mechanism);
  SOTTO_ASSIGN(nlohmann::json json, context.cache_keys.mechanism(spec, cell.epsilon, cell.model));
  json["kind"] = "words";
  json["versions"] = context.cache_keys.versions();
  json["words"] = measure.words;
  json["draws"] = measure.draws;
  json["repetitions"] = measure.repetitions;
  json["sampled"] = measure.sampled;
  json["seed"] = context.run.seed;
  json["dataset"] = cell.dataset;
  if (!cell.dataset.empty()) {
    SOTTO_ASSIGN(const DataSplit* split, context.inputs.split(cell.dataset, measure.split));
    json["texts"] = split->digest;
  }
  return json;
}

/// The same words for all mechanisms and ε of a data set and model.
Result<std::vector<TokenId>> choose_words(const CellContext& context, const Cell& cell, const Model& model) {
  const WordsMeasure& measure = *context.run.words;
  const std::uint64_t seed = experiment_seed(context.run.seed, "words " + cell.dataset);
  if (cell.dataset.empty()) return random_words(model, measure.words, seed);
  SOTTO_ASSIGN(const DataSplit* split, context.inputs.split(cell.dataset, measure.split));
  return random_words(model, split->texts.front(), measure.words, seed);
}

Result<nlohmann::ordered_json> compute_words(const CellContext& context, const Cell& cell) {
  const WordsMeasure& measure = *context.run.words;
  const ExperimentMechanism& spec = find_experiment_mechanism(context.run, cell.mechanism);
  SOTTO_ASSIGN(const PreparedModel* prepared, context.inputs.model(cell.model));
  SOTTO_ASSIGN(const auto model, Model::open(prepared->path));
  MechanismResources resources;
  resources.threads = 1;
  SOTTO_ASSIGN(const auto mechanism,
               make_mechanism(spec.mechanism, model, cell.epsilon, spec.parameters, resources));
  SOTTO_ASSIGN(const std::vector<TokenId> words, choose_words(context, cell, *model));
  if (words.empty()) return fail(Errc::not_found, "no word of the texts is in the model");
  WordMetricOptions options;
  options.draws = measure.draws;
  options.repetitions = measure.repetitions;
  options.always_sample = measure.sampled;
  options.seed = experiment_seed(context.run.seed, "draws");
  options.threads = 1;
  options.progress = context.progress();
  SOTTO_ASSIGN(const WordMetricsReport report, word_metrics(*mechanism, *model, words, options));
  return nlohmann::ordered_json{{"n_w", report.stays.value},
                                {"s_w", report.distinct.value},
                                {"n_w_interval", audit::interval_json(report.stays)},
                                {"s_w_interval", audit::interval_json(report.distinct)},
                                {"n_w_spread", report.stays_spread.standard_deviation},
                                {"s_w_spread", report.distinct_spread.standard_deviation},
                                {"support", report.mean_support},
                                {"words", words.size()},
                                {"exact", report.exact}};
}

}  // namespace

const CellType& words_cell() {
  static const CellType type = {words_identity, no_texts, compute_words};
  return type;
}

}  // namespace sotto::evaluate
