// Data sets as tasks for classifiers, with original or privatized texts.
#pragma once

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"

namespace sotto::evaluate {

/// Which texts of a task are privatized.
enum class Privatized { none, test, all };

/// The task of predicting `column` (empty: the label of the data set) from the texts.
struct TaskRequest {
  std::string column;
  Privatized privatized = Privatized::all;
};

/// The splits of a task on the data set: train, validation if it has one, and test.
std::vector<std::string> task_splits(const CellContext& context, const Cell& cell);

std::vector<TextRequest> task_texts(const CellContext& context, const Cell& cell, Privatized privatized);
Result<nlohmann::json> task_identity(const CellContext& context, const Cell& cell,
                                     const TaskRequest& request);
Result<TaskData> load_task(const CellContext& context, const Cell& cell, const TaskRequest& request);

/// Trains once, with the seed of the cell's run, and scores: the scores by name and, for classification,
/// those of guessing the majority class, prefixed with "majority_".
Result<nlohmann::ordered_json> train_and_score(const CellContext& context, const Cell& cell,
                                               const TaskData& data, const std::string& kind,
                                               const ParameterValues& parameters);

/// What determines a classifier; an error with the reason if this build does not have it.
Result<nlohmann::json> classifier_identity(const CellContext& context, const Cell& cell,
                                           const std::string& kind, const ParameterValues& parameters);

}  // namespace sotto::evaluate
