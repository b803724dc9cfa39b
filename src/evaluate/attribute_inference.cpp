#include "evaluate/attribute_inference.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace sotto {
namespace {

Result<void> check_same_labels(std::span<const LabelledText> original,
                               std::span<const LabelledText> privatized, std::string_view part) {
  if (original.size() != privatized.size())
    return fail(Errc::invalid_argument,
                fmt::format("{}: {} original and {} privatized texts; give equally many", part,
                            original.size(), privatized.size()));
  const auto differ = std::mismatch(original.begin(), original.end(), privatized.begin(),
                                    [](const auto& a, const auto& b) { return a.label == b.label; });
  if (differ.first == original.end()) return {};
  return fail(
      Errc::invalid_argument,
      fmt::format("{} text {}: the label is {} before and {} after; give the same texts in the same order",
                  part, differ.first - original.begin() + 1, differ.first->label, differ.second->label));
}

Result<void> check(const TaskData& original, const TaskData& privatized) {
  if (original.task.kind != TaskKind::classification)
    return fail(Errc::invalid_argument, "attribute inference: the attribute must be one of several classes");
  if (original.task.class_names != privatized.task.class_names)
    return fail(Errc::invalid_argument,
                "attribute inference: original and privatized texts have different classes");
  SOTTO_TRY(check_task(original));
  SOTTO_TRY(check_task(privatized));
  SOTTO_TRY(check_same_labels(original.train, privatized.train, "training"));
  return check_same_labels(original.test, privatized.test, "test");
}

std::vector<ClassIndex> labels_of(std::span<const LabelledText> texts) {
  std::vector<ClassIndex> labels;
  for (const LabelledText& text : texts) labels.push_back(text.label);
  return labels;
}

Result<Scores> majority_scores(const TaskData& data) {
  const std::vector<Prediction> guesses(data.test.size(),
                                        Prediction{majority_class(labels_of(data.train)), 1});
  return score_predictions(data.task, data.test, guesses);
}

}  // namespace

Result<AttributeInference> infer_attribute(const TaskData& original, const TaskData& privatized,
                                           const RunOptions& options) {
  SOTTO_TRY(check(original, privatized));
  AttributeInference result;
  SOTTO_ASSIGN(result.majority, majority_scores(original));
  // Two trainings per run: the first half of the progress is the one on original text.
  RunOptions half = options;
  std::uint64_t before = 0;
  if (options.progress)
    half.progress = [&](std::uint64_t done, std::uint64_t total) {
      return options.progress(before + done, 2 * total);
    };
  const std::array<std::span<const LabelledText>, 2> tests = {original.test, privatized.test};
  SOTTO_ASSIGN(auto trained_on_original, repeated_runs(original, tests, half));
  result.unprotected = std::move(trained_on_original[0]);
  result.static_attacker = std::move(trained_on_original[1]);
  before = std::uint64_t{options.runs} * 1000;
  SOTTO_ASSIGN(result.adaptive_attacker, repeated_runs(privatized, half));
  return result;
}

}  // namespace sotto
