// Attack: a classifier infers an attribute of the author. A static attacker learns from original texts, an
// adaptive one from privatized texts; both are tested on privatized texts.
#include "evaluate/experiment/cells/task_data.hpp"

namespace sotto::evaluate {
namespace {

TaskRequest request_of(const CellContext& context, const Cell& cell) {
  TaskRequest request;
  request.column = find_attacker(context.run, cell.measure).attribute;
  request.privatized = cell.mode == "static"     ? Privatized::test
                       : cell.mode == "adaptive" ? Privatized::all
                                                 : Privatized::none;
  return request;
}

Result<nlohmann::json> attribute_identity(const CellContext& context, const Cell& cell) {
  const AttackerSpec& spec = find_attacker(context.run, cell.measure);
  SOTTO_ASSIGN(nlohmann::json task, task_identity(context, cell, request_of(context, cell)));
  SOTTO_ASSIGN(nlohmann::json classifier, classifier_identity(context, cell, spec.kind, spec.parameters));
  return nlohmann::json{{"kind", "attribute"}, {"task", std::move(task)}, {"by", std::move(classifier)}};
}

std::vector<TextRequest> attribute_texts(const CellContext& context, const Cell& cell) {
  return task_texts(context, cell, request_of(context, cell).privatized);
}

Result<nlohmann::ordered_json> compute_attribute(const CellContext& context, const Cell& cell) {
  const AttackerSpec& spec = find_attacker(context.run, cell.measure);
  SOTTO_ASSIGN(const TaskData data, load_task(context, cell, request_of(context, cell)));
  return train_and_score(context, cell, data, spec.kind, spec.parameters);
}

}  // namespace

const CellType& attribute_cell() {
  static const CellType type = {attribute_identity, attribute_texts, compute_attribute};
  return type;
}

}  // namespace sotto::evaluate
