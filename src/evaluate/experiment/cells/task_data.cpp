#include "evaluate/experiment/cells/task_data.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "evaluate/classifiers/repeated_runs.hpp"
#include "evaluate/experiment/seeds.hpp"

namespace sotto::evaluate {
namespace {

bool reads_privatized(Privatized privatized, const std::string& split) {
  return privatized == Privatized::all || (privatized == Privatized::test && split == "test");
}

Result<const std::vector<std::string>*> labels_of(const DataSplit& split, const DatasetEntry& entry,
                                                  const std::string& column) {
  if (column.empty()) {
    if (split.labels.empty())
      return fail(Errc::not_found, fmt::format("data set '{}' has no label to learn", entry.name));
    return &split.labels;
  }
  return &split.columns.at(column);
}

Result<double> parse_value(const std::string& text, std::size_t row, const DatasetEntry& entry) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Errc::bad_format,
                fmt::format("data set '{}': the label of text {} is not a number", entry.name, row + 1));
  return value;
}

/// Turns the rows of the splits into labelled texts.
class TaskReader {
 public:
  TaskReader(const CellContext& context, const Cell& cell, const TaskRequest& request)
      : context_(context),
        cell_(cell),
        request_(request),
        entry_(context.inputs.entry(cell.dataset)),
        regression_(request.column.empty() && entry_.task == TaskKind::regression) {}

  Result<TaskData> read() {
    TaskData data;
    data.task.kind = regression_ ? TaskKind::regression : TaskKind::classification;
    data.task.pairs = entry_.text.size() == 2;
    if (!regression_) SOTTO_TRY(find_classes(data.task));
    SOTTO_ASSIGN(data.train, read_split(data.task, "train"));
    if (context_.inputs.has_split(cell_.dataset, "validation")) {
      SOTTO_ASSIGN(data.validation, read_split(data.task, "validation"));
    }
    SOTTO_ASSIGN(data.test, read_split(data.task, "test"));
    return data;
  }

 private:
  Result<void> find_classes(Task& task) const {
    std::set<std::string> classes;
    for (const std::string& name : task_splits(context_, cell_)) {
      SOTTO_ASSIGN(const DataSplit* split, context_.inputs.split(cell_.dataset, name));
      SOTTO_ASSIGN(const auto* labels, labels_of(*split, entry_, request_.column));
      classes.insert(labels->begin(), labels->end());
    }
    task.class_names.assign(classes.begin(), classes.end());
    return {};
  }

  Result<std::vector<LabelledText>> read_split(const Task& task, const std::string& name) const {
    SOTTO_ASSIGN(const DataSplit* split, context_.inputs.split(cell_.dataset, name));
    SOTTO_ASSIGN(const auto* labels, labels_of(*split, entry_, request_.column));
    TextColumns texts = split->texts;
    if (!cell_.mechanism.empty() && reads_privatized(request_.privatized, name)) {
      SOTTO_ASSIGN(texts, context_.texts.load(texts_of(cell_, name)));
    }
    std::vector<LabelledText> rows(split->size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].text = std::move(texts[0][i]);
      if (task.pairs) rows[i].text_b = std::move(texts[1][i]);
      if (regression_) {
        SOTTO_ASSIGN(rows[i].value, parse_value((*labels)[i], i, entry_));
      } else {
        const auto found = std::lower_bound(task.class_names.begin(), task.class_names.end(), (*labels)[i]);
        rows[i].label = static_cast<ClassIndex>(found - task.class_names.begin());
      }
    }
    return rows;
  }

  const CellContext& context_;
  const Cell& cell_;
  const TaskRequest& request_;
  const DatasetEntry& entry_;
  bool regression_;
};

std::vector<ClassIndex> labels_of(const std::vector<LabelledText>& texts) {
  std::vector<ClassIndex> labels;
  labels.reserve(texts.size());
  for (const LabelledText& text : texts) labels.push_back(text.label);
  return labels;
}

}  // namespace

std::vector<std::string> task_splits(const CellContext& context, const Cell& cell) {
  std::vector<std::string> splits = {"train", "test"};
  if (context.inputs.has_split(cell.dataset, "validation")) splits.emplace_back("validation");
  return splits;
}

std::vector<TextRequest> task_texts(const CellContext& context, const Cell& cell, Privatized privatized) {
  std::vector<TextRequest> requests;
  if (cell.mechanism.empty()) return requests;
  for (const std::string& split : task_splits(context, cell))
    if (reads_privatized(privatized, split)) requests.push_back(texts_of(cell, split));
  return requests;
}

Result<nlohmann::json> task_identity(const CellContext& context, const Cell& cell,
                                     const TaskRequest& request) {
  nlohmann::json json = {{"column", request.column}, {"splits", nlohmann::json::object()}};
  for (const std::string& name : task_splits(context, cell)) {
    SOTTO_ASSIGN(const DataSplit* split, context.inputs.split(cell.dataset, name));
    SOTTO_TRY(labels_of(*split, context.inputs.entry(cell.dataset), request.column));
    nlohmann::json part = {{"digest", split->digest}};
    if (!cell.mechanism.empty() && reads_privatized(request.privatized, name)) {
      SOTTO_ASSIGN(part["rewritten"], context.texts.identity(texts_of(cell, name)));
    }
    json["splits"][name] = std::move(part);
  }
  return json;
}

Result<TaskData> load_task(const CellContext& context, const Cell& cell, const TaskRequest& request) {
  return TaskReader(context, cell, request).read();
}

Result<nlohmann::json> classifier_identity(const CellContext& context, const Cell& cell,
                                           const std::string& kind, const ParameterValues& parameters) {
  const std::vector<ClassifierInfo> known = classifiers();
  if (std::none_of(known.begin(), known.end(), [&](const auto& info) { return info.name == kind; }))
    return fail(Errc::not_found, fmt::format("this build has no classifier '{}'", kind));
  SOTTO_ASSIGN(const ParameterValues complete, complete_classifier_parameters(kind, parameters));
  nlohmann::json decides = complete;
  if (uses_cell_model(parameters)) {
    SOTTO_ASSIGN(const PreparedModel* model, context.inputs.model(cell.model));
    decides["@model"] = model->digest;
  }
  return nlohmann::json{{"classifier", kind},
                        {"parameters", std::move(decides)},
                        {"seed", context.run.seed},
                        {"run", cell.run},
                        {"versions", context.cache_keys.versions()}};
}

Result<nlohmann::ordered_json> train_and_score(const CellContext& context, const Cell& cell,
                                               const TaskData& data, const std::string& kind,
                                               const ParameterValues& parameters) {
  RunOptions options;
  options.classifier = kind;
  options.parameters = parameters;
  for (auto& [name, value] : options.parameters) {
    if (value != kCellModel) continue;
    SOTTO_ASSIGN(const PreparedModel* model, context.inputs.model(cell.model));
    value = model->path.string();
  }
  options.runs = 1;
  options.seed = experiment_seed(context.run.seed, fmt::format("train {}", cell.run)) % 1'000'000'000;
  options.progress = context.progress();
  SOTTO_ASSIGN(const RepeatedScores scores, repeated_runs(data, options));
  nlohmann::ordered_json json;
  for (const auto& [name, value] : scores.runs.front()) json[name] = value;
  if (data.task.kind == TaskKind::classification) {
    SOTTO_ASSIGN(const ClassificationScores majority,
                 score_majority(labels_of(data.train), labels_of(data.test), data.task.class_names.size()));
    json["majority_accuracy"] = majority.accuracy;
    json["majority_micro_f1"] = majority.micro_f1;
    json["majority_macro_f1"] = majority.macro_f1;
  }
  json["texts"] = data.test.size();
  return json;
}

}  // namespace sotto::evaluate
