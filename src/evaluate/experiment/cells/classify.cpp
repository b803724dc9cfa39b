// Utility: a classifier trained and tested on privatized texts; without a mechanism, the baseline.
#include "evaluate/experiment/cells/task_data.hpp"

namespace sotto::evaluate {
namespace {

Result<nlohmann::json> classify_identity(const CellContext& context, const Cell& cell) {
  const ClassifierSpec& spec = find_classifier(context.run, cell.measure);
  SOTTO_ASSIGN(nlohmann::json task, task_identity(context, cell, {}));
  SOTTO_ASSIGN(nlohmann::json classifier, classifier_identity(context, cell, spec.kind, spec.parameters));
  return nlohmann::json{{"kind", "classify"}, {"task", std::move(task)}, {"by", std::move(classifier)}};
}

std::vector<TextRequest> classify_texts(const CellContext& context, const Cell& cell) {
  return task_texts(context, cell, Privatized::all);
}

Result<nlohmann::ordered_json> compute_classify(const CellContext& context, const Cell& cell) {
  const ClassifierSpec& spec = find_classifier(context.run, cell.measure);
  SOTTO_ASSIGN(const TaskData data, load_task(context, cell, {}));
  return train_and_score(context, cell, data, spec.kind, spec.parameters);
}

}  // namespace

const CellType& classify_cell() {
  static const CellType type = {classify_identity, classify_texts, compute_classify};
  return type;
}

}  // namespace sotto::evaluate
