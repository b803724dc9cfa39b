// The figures of an experiment, with queries by what they are about.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/experiment/grid.hpp"

namespace sotto::evaluate {

/// A cell with its figures. An inference cell becomes one observation per mechanism.
struct Observation {
  Cell cell;
  std::map<std::string, double> values;
  std::map<std::string, std::pair<double, double>> intervals;  ///< of the values that have one
};

/// A mean over repetitions and runs.
struct Figure {
  double mean = 0;
  double deviation = 0;  ///< standard deviation; NaN for a single value
  std::size_t n = 0;
  std::optional<std::pair<double, double>> interval;  ///< for a single value that has one
  /// The two values, if there are two. A standard deviation of two says no more, and looks as if it did.
  std::optional<std::pair<double, double>> range = {};
};

/// Labels to match; an empty string means none, nullopt means any.
struct Question {
  CellKind kind = CellKind::words;
  std::optional<std::string> dataset;
  std::optional<std::string> model;
  std::optional<std::string> mechanism;
  std::optional<double> epsilon;
  std::optional<std::string> measure;
  std::optional<std::string> mode;
};

class Observations {
 public:
  /// From the lines of results.jsonl; cells without figures are skipped.
  explicit Observations(const std::vector<nlohmann::ordered_json>& results);

  /// The mean of that value over all cells that match the question; nullopt if there is none.
  std::optional<Figure> figure(const Question& question, const std::string& value) const;
  bool has(const Question& question, const std::string& value) const;
  /// The ε that have figures, ascending.
  std::vector<double> epsilons(const Question& question) const;

 private:
  std::vector<Observation> observations_;
};

}  // namespace sotto::evaluate
