#include "evaluate/classifiers/repeated_runs.hpp"

#include <array>

#include "base/checked_value.hpp"
#include "base/work_meter.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::uint64_t kSteps = 1000;

/// The progress of run `run`, in thousandths of a run.
ProgressCallback progress_of_run(const RunOptions& options, unsigned run) {
  if (!options.progress) return {};
  return [&options, run](std::uint64_t done, std::uint64_t total) {
    const std::uint64_t part = total == 0 ? 0 : std::min(done, total) * kSteps / total;
    return options.progress(run * kSteps + part, options.runs * kSteps);
  };
}

}  // namespace

RepeatedScores summarize(std::vector<Scores> runs) {
  RepeatedScores result;
  std::map<std::string, std::vector<double>> values;
  for (const Scores& scores : runs)
    for (const auto& [name, value] : scores) values[name].push_back(value);
  for (const auto& [name, series] : values) result.spread[name] = spread_of(series);
  result.runs = std::move(runs);
  return result;
}

Result<std::vector<RepeatedScores>> repeated_runs(const TaskData& data,
                                                  std::span<const std::span<const LabelledText>> tests,
                                                  const RunOptions& options) {
  SOTTO_TRY(check_task(data));
  if (options.runs == 0) return base::not_allowed("runs", options.runs, "a whole number from 1 on");
  std::vector<std::vector<Scores>> scores(tests.size());
  for (unsigned run = 0; run < options.runs; ++run) {
    SOTTO_ASSIGN(const auto classifier, make_classifier(options.classifier, options.parameters));
    SOTTO_TRY(classifier->fit(data.task, data.train, data.validation, options.seed + run,
                              progress_of_run(options, run)));
    for (std::size_t i = 0; i < tests.size(); ++i) {
      SOTTO_ASSIGN(const auto predictions, classifier->predict(tests[i]));
      SOTTO_ASSIGN(Scores of_run, score_predictions(data.task, tests[i], predictions));
      scores[i].push_back(std::move(of_run));
    }
    SOTTO_TRY(base::report_progress(options.progress, (run + 1) * kSteps, options.runs * kSteps));
  }
  std::vector<RepeatedScores> results;
  results.reserve(scores.size());
  for (std::vector<Scores>& runs : scores) results.push_back(summarize(std::move(runs)));
  return results;
}

Result<RepeatedScores> repeated_runs(const TaskData& data, const RunOptions& options) {
  const std::array<std::span<const LabelledText>, 1> tests = {data.test};
  SOTTO_ASSIGN(auto results, repeated_runs(data, tests, options));
  return std::move(results[0]);
}

}  // namespace sotto::evaluate
