#include "evaluate/report/setting_groups.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "evaluate/experiment/grid.hpp"

namespace sotto::evaluate {
namespace {

struct EpsilonUnit {
  std::string name;
  std::string axis;
};

EpsilonUnit metric_unit(const std::string& metric, const std::string& model) {
  const std::string name = fmt::format("{} in {}", metric, model);
  return {name, "ε times " + name};
}

/// By the mechanism's kind and metric. A distance belongs to its model: vectors of another scale or dimension
/// give the same ε another meaning.
EpsilonUnit unit_of(const ExperimentMechanism& spec, const std::string& model) {
  const auto info = find_mechanism(spec.mechanism);
  const std::string metric = info ? (*info)->metric : "";
  if (info && (*info)->kind != MechanismKind::word_by_word)
    return {"pure ε per draw", "pure ε per draw, which reads the whole text"};
  if (metric.starts_with("Euclidean")) return metric_unit("Euclidean distance", model);
  if (metric.starts_with("Mahalanobis")) return metric_unit("Mahalanobis distance", model);
  if (metric.starts_with("index")) return metric_unit("index distance", model);
  if (metric.find("inside a group") != std::string::npos)
    return {"pure ε inside a group", "pure ε inside a group"};
  return {fmt::format("ε of {}", spec.mechanism), fmt::format("ε of {}", spec.mechanism)};
}

EpsilonUnit unit_with_budget(const ExperimentMechanism& spec, const std::string& model) {
  EpsilonUnit unit = unit_of(spec, model);
  if (spec.budget.empty()) return unit;
  return {unit.name + ", shared by the words of a text", unit.axis + ", mean of a text's words"};
}

}  // namespace

bool SettingGroup::has(const Setting& setting) const {
  return std::any_of(settings.begin(), settings.end(), [&](const Setting& own) {
    return own.model == setting.model && own.mechanism == setting.mechanism;
  });
}

std::vector<Setting> settings(const ReportData& data) {
  std::vector<Setting> settings;
  for (const ModelSpec& model : data.run().models)
    for (const ExperimentMechanism& mechanism : data.run().mechanisms)
      if (mechanism.models.empty() ||
          std::find(mechanism.models.begin(), mechanism.models.end(), model.label) != mechanism.models.end())
        settings.push_back({model.label, mechanism.label});
  return settings;
}

std::vector<SettingGroup> setting_groups(const ReportData& data) {
  std::vector<SettingGroup> groups;
  for (const Setting& setting : settings(data)) {
    const EpsilonUnit unit =
        unit_with_budget(find_experiment_mechanism(data.run(), setting.mechanism), setting.model);
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const SettingGroup& group) { return group.unit == unit.name; });
    SettingGroup& group =
        found != groups.end() ? *found : groups.emplace_back(SettingGroup{unit.name, unit.axis, {}});
    group.settings.push_back(setting);
  }
  return groups;
}

const SettingGroup& group_of(const std::vector<SettingGroup>& groups, const Setting& setting) {
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const SettingGroup& group) { return group.has(setting); });
}

std::string title_in(const std::string& title, const SettingGroup& group, std::size_t groups) {
  return groups < 2 ? title : fmt::format("{} ({})", title, group.axis);
}

std::string id_in(const std::string& id, const SettingGroup& group, std::size_t groups) {
  return groups < 2 ? id : fmt::format("{}-{}", id, slug(group.unit));
}

std::vector<double> epsilons_in(const ReportData& data, const SettingGroup& group, Question question) {
  std::set<double> epsilons;
  question.epsilon.reset();
  for (const Setting& setting : group.settings) {
    question.model = setting.model;
    question.mechanism = setting.mechanism;
    const std::vector<double> own = data.observations.epsilons(question);
    epsilons.insert(own.begin(), own.end());
  }
  return {epsilons.begin(), epsilons.end()};
}

std::vector<TableCell> setting_labels(const ReportData& data, const Setting& setting) {
  std::vector<TableCell> labels;
  if (data.run().models.size() > 1) labels.push_back(TableCell::of(setting.model));
  labels.push_back(TableCell::of(setting.mechanism));
  return labels;
}

std::vector<ReportColumn> setting_columns(const ReportData& data) {
  std::vector<ReportColumn> columns;
  if (data.run().models.size() > 1) columns.push_back({"model", Better::neither});
  columns.push_back({"mechanism", Better::neither});
  return columns;
}

}  // namespace sotto::evaluate
