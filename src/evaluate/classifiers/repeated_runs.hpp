// Learns one task several times with different seeds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/metrics/mean_interval.hpp"

namespace sotto::evaluate {

struct RunOptions {
  std::string classifier = "fasttext";
  ParameterValues parameters;
  unsigned runs = 3;  ///< at least 1; run i has the seed `seed` + i
  std::uint64_t seed = 0;
  ProgressCallback progress = {};  ///< receives thousandths of runs
};

/// Scores of the runs, in order, and their spread by name.
struct RepeatedScores {
  std::vector<Scores> runs;
  std::map<std::string, Spread> spread;
};

RepeatedScores summarize(std::vector<Scores> runs);

/// Trains on data.train with data.validation and scores on data.test, `runs` times. Thread-safe.
Result<RepeatedScores> repeated_runs(const TaskData& data, const RunOptions& options);

/// The same, scored on several test sets: one result per element of `tests`, from the same classifiers.
Result<std::vector<RepeatedScores>> repeated_runs(const TaskData& data,
                                                  std::span<const std::span<const LabelledText>> tests,
                                                  const RunOptions& options);

}  // namespace sotto::evaluate
