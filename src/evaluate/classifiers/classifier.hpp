// Classifiers: they measure the remaining utility of a privatized data set, and they attack it.
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

#include "evaluate/metrics/scores.hpp"

namespace sotto::evaluate {

enum class TaskKind { classification, regression };

struct LabelledText {
  std::string text;
  std::string text_b;    ///< the second text of a pair, empty otherwise
  ClassIndex label = 0;  ///< for classification
  double value = 0;      ///< for regression
};

/// What to learn.
struct Task {
  TaskKind kind = TaskKind::classification;
  std::vector<std::string> class_names;  ///< empty for regression
  bool pairs = false;                    ///< text_b is used
};

struct TaskData {
  Task task;
  std::vector<LabelledText> train;
  std::vector<LabelledText> validation;  ///< may be empty
  std::vector<LabelledText> test;
};

struct Prediction {
  ClassIndex label = 0;  ///< for classification
  double value = 0;      ///< for regression; for classification the probability of `label`
};

/// The outcome of one pass over the training texts.
struct EpochReport {
  std::uint32_t epoch = 0;  ///< from 1
  double loss = 0;          ///< mean over the training texts
  std::optional<double> validation_score =
      std::nullopt;   ///< accuracy, or minus the mean squared error; nullopt without validation texts
  bool best = false;  ///< its weights were kept
};

/// Learns one task. Not thread-safe; different objects may be used by different threads.
class Classifier {
 public:
  virtual ~Classifier() = default;

  /// Learns from `train`, which is not empty; `validation` (may be empty) decides when to stop, for
  /// classifiers that use it. Discards what was learnt before. The same seed gives the same classifier, on
  /// the same device. Rejects kinds of tasks that it cannot learn. `progress` may be empty; it receives the
  /// classifier's own kind of steps.
  virtual Result<void> fit(const Task& task, std::span<const LabelledText> train,
                           std::span<const LabelledText> validation, std::uint64_t seed,
                           const ProgressCallback& progress) = 0;

  /// One prediction per text, in order. Ignores the labels of the texts. Call fit() first.
  virtual Result<std::vector<Prediction>> predict(std::span<const LabelledText> texts) = 0;

  /// What the last fit() did, epoch by epoch; empty for classifiers that do not learn in epochs.
  virtual std::span<const EpochReport> epochs() const { return {}; }
};

/// What users need to choose a classifier.
struct ClassifierInfo {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
};

/// Makes a classifier from parameters that are complete and have known names; it must still check the values.
using ClassifierFactory = std::function<Result<std::unique_ptr<Classifier>>(const ParameterValues&)>;

/// Adds a kind of classifier, for those in a separate library; "fasttext" is always available. Replaces one
/// of the same name. Thread-safe.
void register_classifier(ClassifierInfo info, ClassifierFactory factory);

/// All available kinds, sorted by name. Thread-safe.
std::vector<ClassifierInfo> classifiers();

/// `given` completed with defaults, every value in its canonical spelling. The error lists the available
/// names. Thread-safe.
Result<ParameterValues> complete_classifier_parameters(std::string_view name, const ParameterValues& given);

/// A classifier of that name; parameters not given have their defaults. The error lists the available names.
/// Thread-safe.
Result<std::unique_ptr<Classifier>> make_classifier(std::string_view name, const ParameterValues& parameters);

/// Scores by name: accuracy, micro_f1, macro_f1 for classification; pearson, spearman, pearson_spearman
/// (their mean) for regression.
using Scores = std::map<std::string, double>;

/// The scores of predictions for `texts`, in order. Both have the same length, at least 1. Thread-safe.
Result<Scores> score_predictions(const Task& task, std::span<const LabelledText> texts,
                                 std::span<const Prediction> predictions);

/// Rejects a task without training or test texts, labels beyond its classes, fewer than two classes, and
/// values that are not finite; the message says which text. Thread-safe.
Result<void> check_task(const TaskData& data);

}  // namespace sotto::evaluate
