#include "evaluate/report/observations.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluate/metrics/mean_interval.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::string_view kInterval = "_interval";

CellKind parse_kind(const std::string& name) {
  for (const CellKind kind : {CellKind::words, CellKind::overlap, CellKind::similarity, CellKind::perplexity,
                              CellKind::classify, CellKind::attribute})
    if (name == to_string(kind)) return kind;
  return CellKind::inference;
}

Cell cell_of(const nlohmann::ordered_json& line) {
  Cell cell;
  cell.kind = parse_kind(line.value("kind", std::string()));
  cell.dataset = line.value("dataset", std::string());
  cell.model = line.value("model", std::string());
  cell.mechanism = line.value("mechanism", std::string());
  cell.epsilon = line.value("epsilon", 0.0);
  cell.measure = line.value("measure", std::string());
  cell.mode = line.value("mode", std::string());
  return cell;
}

void read_values(const nlohmann::ordered_json& values, Observation& observation) {
  for (const auto& [name, value] : values.items()) {
    if (value.is_number()) observation.values[name] = value.get<double>();
    if (name.ends_with(kInterval) && value.is_array() && value.size() == 3)
      observation.intervals[name.substr(0, name.size() - kInterval.size())] = {value[1].get<double>(),
                                                                               value[2].get<double>()};
  }
}

template <class T>
bool fits(const std::optional<T>& wanted, const T& found) {
  return !wanted || *wanted == found;
}

bool answers(const Question& question, const Cell& cell) {
  return question.kind == cell.kind && fits(question.dataset, cell.dataset) &&
         fits(question.model, cell.model) && fits(question.mechanism, cell.mechanism) &&
         fits(question.epsilon, cell.epsilon) && fits(question.measure, cell.measure) &&
         fits(question.mode, cell.mode);
}

}  // namespace

Observations::Observations(const std::vector<nlohmann::ordered_json>& results) {
  for (const nlohmann::ordered_json& line : results) {
    if (line.value("status", std::string()) != "done") continue;
    Observation observation{cell_of(line), {}, {}};
    const nlohmann::ordered_json& values = line.at("values");
    if (!values.contains("mechanisms")) {
      read_values(values, observation);
      observations_.push_back(std::move(observation));
      continue;
    }
    for (const auto& [mechanism, figures] : values.at("mechanisms").items()) {
      Observation single{observation.cell, {}, {}};
      single.cell.mechanism = mechanism;
      read_values(figures, single);
      observations_.push_back(std::move(single));
    }
  }
}

std::optional<Figure> Observations::figure(const Question& question, const std::string& value) const {
  std::vector<double> values;
  const Observation* last = nullptr;
  for (const Observation& observation : observations_) {
    if (!answers(question, observation.cell)) continue;
    const auto found = observation.values.find(value);
    if (found == observation.values.end() || !std::isfinite(found->second)) continue;
    values.push_back(found->second);
    last = &observation;
  }
  if (last == nullptr) return std::nullopt;
  const Spread spread = spread_of(values);
  Figure figure{spread.mean, spread.standard_deviation, values.size(), std::nullopt};
  if (values.size() == 2) figure.range = std::minmax(values[0], values[1]);
  if (values.size() == 1)
    if (const auto interval = last->intervals.find(value); interval != last->intervals.end())
      figure.interval = interval->second;
  return figure;
}

bool Observations::has(const Question& question, const std::string& value) const {
  return figure(question, value).has_value();
}

std::vector<double> Observations::epsilons(const Question& question) const {
  std::set<double> epsilons;
  for (const Observation& observation : observations_)
    if (observation.cell.epsilon > 0 && answers(question, observation.cell))
      epsilons.insert(observation.cell.epsilon);
  return {epsilons.begin(), epsilons.end()};
}

}  // namespace sotto::evaluate
