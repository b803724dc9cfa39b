// Classifiers: they measure what a privatized data set is still good for, and they attack it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/scores.hpp"

namespace sotto {

enum class TaskKind { classification, regression };

struct LabelledText {
  std::string text;
  std::string text_b;    ///< the second text of a pair, empty otherwise
  ClassIndex label = 0;  ///< of classification
  double value = 0;      ///< of regression
};

/// What is to be learnt.
struct Task {
  TaskKind kind = TaskKind::classification;
  std::vector<std::string> class_names;  ///< empty for regression
  bool pairs = false;                    ///< text_b counts
};

struct TaskData {
  Task task;
  std::vector<LabelledText> train;
  std::vector<LabelledText> validation;  ///< may be empty
  std::vector<LabelledText> test;
};

struct Prediction {
  ClassIndex label = 0;  ///< of classification
  double value = 0;      ///< of regression; of classification: the probability given to `label`
};

/// What one pass over the training texts came to.
struct EpochReport {
  std::uint32_t epoch = 0;  ///< from 1
  double loss = 0;          ///< mean over the training texts
  std::optional<double> validation_score =
      std::nullopt;   ///< accuracy, or minus the mean squared error; nothing without validation texts
  bool best = false;  ///< its weights are the ones that stayed
};

/// Learns one task. Not thread-safe; different objects may be used by different threads.
class Classifier {
 public:
  virtual ~Classifier() = default;

  /// Learns from `train`, which is not empty; `validation` (may be empty) decides when to stop, for those who
  /// use it. Forgets what was learnt before. The same seed gives the same classifier, on the same device. A
  /// kind of task it cannot learn is refused. `progress` may be empty; it is told steps of the classifier's
  /// own kind.
  virtual Result<void> fit(const Task& task, std::span<const LabelledText> train,
                           std::span<const LabelledText> validation, std::uint64_t seed,
                           const ProgressCallback& progress) = 0;

  /// One prediction for each text, in order. Labels of the texts are not looked at. fit() comes first.
  virtual Result<std::vector<Prediction>> predict(std::span<const LabelledText> texts) = 0;

  /// What the last fit() did, epoch by epoch; empty for those who do not learn in epochs.
  virtual std::span<const EpochReport> epochs() const { return {}; }
};

/// What a person needs to choose a classifier.
struct ClassifierInfo {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
};

/// Makes a classifier from parameters that are complete and have known names; values are still to be checked.
using ClassifierFactory = std::function<Result<std::unique_ptr<Classifier>>(const ParameterValues&)>;

/// Adds a kind of classifier, for one that lives in a library of its own; "fasttext" is always there. One of
/// the same name is replaced. Thread-safe.
void register_classifier(ClassifierInfo info, ClassifierFactory factory);

/// Every kind there is, by name. Thread-safe.
std::vector<ClassifierInfo> classifiers();

/// `given` with the defaults of the classifier's other parameters, every value in its one spelling. The error
/// lists the names there are. Thread-safe.
Result<ParameterValues> complete_classifier_parameters(std::string_view name, const ParameterValues& given);

/// A classifier of that name; parameters that are not given have their defaults. The error lists the names
/// there are. Thread-safe.
Result<std::unique_ptr<Classifier>> make_classifier(std::string_view name, const ParameterValues& parameters);

/// Scores by name: accuracy, micro_f1, macro_f1 for classification; pearson, spearman, pearson_spearman
/// (their mean) for regression.
using Scores = std::map<std::string, double>;

/// The scores of predictions for `texts`, in order. Both have the same length, at least 1. Thread-safe.
Result<Scores> score_predictions(const Task& task, std::span<const LabelledText> texts,
                                 std::span<const Prediction> predictions);

/// Refuses a task without training or test texts, labels beyond its classes, fewer than two classes, and
/// values that are not finite; the message says which text. Thread-safe.
Result<void> check_task(const TaskData& data);

}  // namespace sotto
