#include "evaluate/classifiers/classifier.hpp"

#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "evaluate/classifiers/fasttext_classifier.hpp"
#include "evaluate/classifiers/network_classifier.hpp"
#include "mechanisms/parameter_values.hpp"

namespace sotto::evaluate {
namespace {

struct Kind {
  ClassifierInfo info;
  ClassifierFactory factory;
};

/// Guarded by a mutex, since libraries may register kinds while others are created.
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(Kind kind) {
    const std::lock_guard lock(mutex_);
    const std::string name = kind.info.name;
    kinds_.insert_or_assign(name, std::move(kind));
  }

  std::vector<ClassifierInfo> infos() const {
    const std::lock_guard lock(mutex_);
    std::vector<ClassifierInfo> infos;
    for (const auto& [name, kind] : kinds_) infos.push_back(kind.info);
    return infos;
  }

  Result<Kind> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = kinds_.find(name); found != kinds_.end()) return found->second;
    std::vector<std::string_view> names;
    for (const auto& [known, kind] : kinds_) names.push_back(known);
    return fail(Errc::not_found,
                fmt::format("classifier: there is no '{}'; there are: {}", name, fmt::join(names, ", ")));
  }

 private:
  Registry() {
    add({fasttext_classifier_info(), make_fasttext_classifier});
    for (const ClassifierInfo& info : network_classifier_infos())
      add({info, [name = info.name](const ParameterValues& parameters) {
             return make_network_classifier(name, parameters);
           }});
  }

  mutable std::mutex mutex_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

Result<void> check_texts(const Task& task, std::span<const LabelledText> texts, std::string_view part) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (task.kind == TaskKind::classification && texts[i].label >= task.class_names.size())
      return fail(Errc::invalid_argument,
                  fmt::format("{} text {}: label {} is not allowed; there are {} classes", part, i + 1,
                              texts[i].label, task.class_names.size()));
    if (task.kind == TaskKind::regression && !std::isfinite(texts[i].value))
      return fail(Errc::invalid_argument,
                  fmt::format("{} text {}: the value {} is not allowed; give a finite number", part, i + 1,
                              texts[i].value));
  }
  return {};
}

Result<Scores> score_labels(const Task& task, std::span<const LabelledText> texts,
                            std::span<const Prediction> predictions) {
  std::vector<ClassIndex> truth;
  std::vector<ClassIndex> guesses;
  for (const LabelledText& text : texts) truth.push_back(text.label);
  for (const Prediction& prediction : predictions) guesses.push_back(prediction.label);
  SOTTO_ASSIGN(const ClassificationScores scores, score_classes(truth, guesses, task.class_names.size()));
  return Scores{{"accuracy", scores.accuracy}, {"micro_f1", scores.micro_f1}, {"macro_f1", scores.macro_f1}};
}

}  // namespace

void register_classifier(ClassifierInfo info, ClassifierFactory factory) {
  Registry::instance().add({std::move(info), std::move(factory)});
}

std::vector<ClassifierInfo> classifiers() {
  return Registry::instance().infos();
}

Result<ParameterValues> complete_classifier_parameters(std::string_view name, const ParameterValues& given) {
  SOTTO_ASSIGN(const Kind kind, Registry::instance().find(name));
  return mechanism::complete_values("classifier " + kind.info.name, kind.info.parameters, given);
}

Result<std::unique_ptr<Classifier>> make_classifier(std::string_view name,
                                                    const ParameterValues& parameters) {
  SOTTO_ASSIGN(const Kind kind, Registry::instance().find(name));
  SOTTO_ASSIGN(const ParameterValues complete, complete_classifier_parameters(name, parameters));
  return kind.factory(complete);
}

Result<Scores> score_predictions(const Task& task, std::span<const LabelledText> texts,
                                 std::span<const Prediction> predictions) {
  if (task.kind == TaskKind::classification) return score_labels(task, texts, predictions);
  std::vector<double> truth;
  std::vector<double> guesses;
  for (const LabelledText& text : texts) truth.push_back(text.value);
  for (const Prediction& prediction : predictions) guesses.push_back(prediction.value);
  SOTTO_ASSIGN(const CorrelationScores scores, score_values(truth, guesses));
  return Scores{
      {"pearson", scores.pearson}, {"spearman", scores.spearman}, {"pearson_spearman", scores.mean}};
}

Result<void> check_task(const TaskData& data) {
  if (data.train.empty()) return fail(Errc::invalid_argument, "the training part is empty; give some texts");
  if (data.test.empty()) return fail(Errc::invalid_argument, "the test part is empty; give some texts");
  if (data.task.kind == TaskKind::classification && data.task.class_names.size() < 2)
    return fail(Errc::invalid_argument, fmt::format("a task with {} classes; give at least 2 to tell apart",
                                                    data.task.class_names.size()));
  SOTTO_TRY(check_texts(data.task, data.train, "training"));
  SOTTO_TRY(check_texts(data.task, data.validation, "validation"));
  return check_texts(data.task, data.test, "test");
}

}  // namespace sotto::evaluate
