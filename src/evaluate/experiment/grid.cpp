#include "evaluate/experiment/grid.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace sotto::evaluate {
namespace {

template <class T>
bool selects(const std::vector<T>& selected, const T& value) {
  return selected.empty() || std::find(selected.begin(), selected.end(), value) != selected.end();
}

template <class Spec>
const Spec& find_label(const std::vector<Spec>& specs, const std::string& label) {
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.label == label; });
  assert(found != specs.end());
  return *found;
}

const std::vector<double>& epsilons_of(const ExperimentSpec& run, const ExperimentMechanism& mechanism) {
  return mechanism.epsilons.empty() ? run.epsilons : mechanism.epsilons;
}

bool uses_model(const ExperimentMechanism& mechanism, const ModelSpec& model) {
  return selects(mechanism.models, model.label);
}

/// Adds the cells of one measure: data sets × models × mechanisms × ε.
class GridMaker {
 public:
  explicit GridMaker(const ExperimentSpec& run) : run_(run) {}

  template <class Add>
  void each(const CellSelection& of, const Add& add) {
    for (const DatasetSpec& dataset : run_.datasets)
      if (selects(of.datasets, dataset.label)) each_setting(of, dataset.label, add);
  }

  template <class Add>
  void each_setting(const CellSelection& of, const std::string& dataset, const Add& add) {
    for (const ModelSpec& model : run_.models) {
      if (!selects(of.models, model.label)) continue;
      for (const ExperimentMechanism& mechanism : run_.mechanisms) {
        if (!selects(of.mechanisms, mechanism.label) || !uses_model(mechanism, model)) continue;
        for (const double epsilon : epsilons_of(run_, mechanism)) {
          if (!selects(of.epsilons, epsilon)) continue;
          Cell cell;
          cell.dataset = dataset;
          cell.model = model.label;
          cell.mechanism = mechanism.label;
          cell.epsilon = epsilon;
          add(cell);
        }
      }
    }
  }

  void push(Cell cell) { cells_.push_back(std::move(cell)); }
  std::vector<Cell> take() { return std::move(cells_); }

 private:
  const ExperimentSpec& run_;
  std::vector<Cell> cells_;
};

void add_words(const ExperimentSpec& run, GridMaker& grid) {
  const auto add = [&](Cell cell) {
    cell.kind = CellKind::words;
    grid.push(std::move(cell));
  };
  if (run.words->from_texts) {
    grid.each(run.words->of, add);
  } else {
    grid.each_setting(run.words->of, {}, add);
  }
}

bool asks_for(const TextsMeasure& texts, CellKind kind) {
  return std::any_of(texts.metrics.begin(), texts.metrics.end(), [&](const std::string& metric) {
    if (metric == "cs") return kind == CellKind::similarity;
    if (metric == "perplexity") return kind == CellKind::perplexity;
    return kind == CellKind::overlap;
  });
}

void add_texts(const ExperimentSpec& run, GridMaker& grid) {
  for (const CellKind kind : {CellKind::overlap, CellKind::similarity, CellKind::perplexity}) {
    if (!asks_for(*run.texts, kind)) continue;
    if (kind != CellKind::similarity)
      for (const DatasetSpec& dataset : run.datasets) {  // the original texts, for comparison
        if (!selects(run.texts->of.datasets, dataset.label)) continue;
        Cell cell;
        cell.kind = kind;
        cell.dataset = dataset.label;
        grid.push(cell);
      }
    grid.each(run.texts->of, [&](Cell cell) {
      cell.kind = kind;
      for (cell.repetition = 0; cell.repetition < run.repetitions; ++cell.repetition) grid.push(cell);
    });
  }
}

/// The models that measurements on original texts depend on: none, unless the classifier uses them.
std::vector<std::string> baseline_models(const ExperimentSpec& run, const CellSelection& of,
                                         const ParameterValues& parameters) {
  if (!uses_cell_model(parameters)) return {""};
  std::vector<std::string> labels;
  for (const ModelSpec& model : run.models)
    if (selects(of.models, model.label)) labels.push_back(model.label);
  return labels;
}

void add_baseline(const ExperimentSpec& run, const CellSelection& of, const ParameterValues& parameters,
                  Cell cell, std::uint64_t runs, GridMaker& grid) {
  for (const DatasetSpec& dataset : run.datasets) {
    if (!selects(of.datasets, dataset.label)) continue;
    cell.dataset = dataset.label;
    for (const std::string& model : baseline_models(run, of, parameters)) {
      cell.model = model;
      for (cell.run = 0; cell.run < runs; ++cell.run) grid.push(cell);
    }
  }
}

void add_classifier(const ExperimentSpec& run, const ClassifierSpec& spec, GridMaker& grid) {
  Cell baseline;
  baseline.kind = CellKind::classify;
  baseline.measure = spec.label;
  add_baseline(run, spec.of, spec.parameters, baseline, spec.baseline_runs, grid);
  grid.each(spec.of, [&](Cell cell) {
    cell.kind = CellKind::classify;
    cell.measure = spec.label;
    for (cell.repetition = 0; cell.repetition < run.repetitions; ++cell.repetition)
      for (cell.run = 0; cell.run < spec.runs; ++cell.run) grid.push(cell);
  });
}

void add_attacker(const ExperimentSpec& run, const AttackerSpec& spec, GridMaker& grid) {
  Cell baseline;
  baseline.kind = CellKind::attribute;
  baseline.measure = spec.label;
  baseline.mode = "unprotected";
  add_baseline(run, spec.of, spec.parameters, baseline, spec.runs, grid);
  std::vector<std::string> modes;
  if (spec.is_static) modes.emplace_back("static");
  if (spec.adaptive) modes.emplace_back("adaptive");
  for (const std::string& mode : modes)
    grid.each(spec.of, [&](Cell cell) {
      cell.kind = CellKind::attribute;
      cell.measure = spec.label;
      cell.mode = mode;
      for (cell.repetition = 0; cell.repetition < run.repetitions; ++cell.repetition)
        for (cell.run = 0; cell.run < spec.runs; ++cell.run) grid.push(cell);
    });
}

void add_inference(const ExperimentSpec& run, const InferenceSpec& spec, GridMaker& grid) {
  for (const ModelSpec& model : run.models) {
    std::set<double> epsilons;
    grid.each_setting(spec.of, {}, [&](const Cell& cell) {
      if (cell.model == model.label) epsilons.insert(cell.epsilon);
    });
    for (const double epsilon : epsilons) {
      Cell cell;
      cell.kind = CellKind::inference;
      cell.dataset = spec.prior;
      cell.model = model.label;
      cell.epsilon = epsilon;
      cell.measure = spec.label;
      grid.push(cell);
    }
  }
}

}  // namespace

const char* to_string(CellKind kind) {
  switch (kind) {
    case CellKind::words:
      return "words";
    case CellKind::overlap:
      return "overlap";
    case CellKind::similarity:
      return "similarity";
    case CellKind::perplexity:
      return "perplexity";
    case CellKind::classify:
      return "classify";
    case CellKind::attribute:
      return "attribute";
    case CellKind::inference:
      break;
  }
  return "inference";
}

nlohmann::ordered_json to_json(const Cell& cell) {
  nlohmann::ordered_json json = {{"kind", to_string(cell.kind)}};
  if (!cell.dataset.empty()) json["dataset"] = cell.dataset;
  if (!cell.model.empty()) json["model"] = cell.model;
  if (!cell.mechanism.empty()) json["mechanism"] = cell.mechanism;
  if (cell.epsilon > 0) json["epsilon"] = cell.epsilon;
  if (!cell.measure.empty()) json["measure"] = cell.measure;
  if (!cell.mode.empty()) json["mode"] = cell.mode;
  json["repetition"] = cell.repetition;
  json["run"] = cell.run;
  return json;
}

std::vector<Cell> make_grid(const ExperimentSpec& run) {
  GridMaker grid(run);
  if (run.words) add_words(run, grid);
  if (run.texts) add_texts(run, grid);
  for (const ClassifierSpec& spec : run.classifiers) add_classifier(run, spec, grid);
  for (const AttackerSpec& spec : run.attackers) add_attacker(run, spec, grid);
  for (const InferenceSpec& spec : run.inference) add_inference(run, spec, grid);
  return grid.take();
}

bool uses_cell_model(const ParameterValues& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const auto& parameter) { return parameter.second == kCellModel; });
}

const ModelSpec& find_model_spec(const ExperimentSpec& run, const std::string& label) {
  return find_label(run.models, label);
}
const ExperimentMechanism& find_experiment_mechanism(const ExperimentSpec& run, const std::string& label) {
  return find_label(run.mechanisms, label);
}
const ClassifierSpec& find_classifier(const ExperimentSpec& run, const std::string& label) {
  return find_label(run.classifiers, label);
}
const AttackerSpec& find_attacker(const ExperimentSpec& run, const std::string& label) {
  return find_label(run.attackers, label);
}
const InferenceSpec& find_inference(const ExperimentSpec& run, const std::string& label) {
  return find_label(run.inference, label);
}

std::vector<const ExperimentMechanism*> inference_mechanisms(const ExperimentSpec& run, const Cell& cell) {
  const InferenceSpec& spec = find_inference(run, cell.measure);
  const ModelSpec& model = find_model_spec(run, cell.model);
  std::vector<const ExperimentMechanism*> mechanisms;
  for (const ExperimentMechanism& mechanism : run.mechanisms)
    if (selects(spec.of.mechanisms, mechanism.label) && uses_model(mechanism, model) &&
        selects(epsilons_of(run, mechanism), cell.epsilon))
      mechanisms.push_back(&mechanism);
  return mechanisms;
}

}  // namespace sotto::evaluate
