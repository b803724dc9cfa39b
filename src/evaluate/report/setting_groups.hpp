// Mechanisms on models, grouped by what their ε multiplies. Within a group, figures at equal ε can be
// compared; between groups, ε = 1 here and ε = 1 there have nothing in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/plot/table.hpp"
#include "evaluate/report/report.hpp"

namespace sotto::evaluate {

/// A mechanism on a model: a row of most tables.
struct Setting {
  std::string model;
  std::string mechanism;
};

struct SettingGroup {
  std::string unit;  ///< such as "Euclidean distance in GloVe", or "pure ε inside a group"
  std::string axis;  ///< the same for an axis: "ε times Euclidean distance in GloVe"
  std::vector<Setting> settings;

  bool has(const Setting& setting) const;
};

/// All settings of the run, in its order.
std::vector<Setting> settings(const ReportData& data);
/// The same by unit; each in exactly one group, the groups in order of their first setting.
std::vector<SettingGroup> setting_groups(const ReportData& data);
/// The group of a setting of the run.
const SettingGroup& group_of(const std::vector<SettingGroup>& groups, const Setting& setting);

/// "TITLE" with the group's unit, if the run has several.
std::string title_in(const std::string& title, const SettingGroup& group, std::size_t groups);
/// The same for the id of a table.
std::string id_in(const std::string& id, const SettingGroup& group, std::size_t groups);

/// The ε of a group that have figures, ascending. Model, mechanism and ε of the question are ignored.
std::vector<double> epsilons_in(const ReportData& data, const SettingGroup& group, Question question);

/// The names at the beginning of a row; the model only if there are several.
std::vector<TableCell> setting_labels(const ReportData& data, const Setting& setting);
std::vector<ReportColumn> setting_columns(const ReportData& data);

}  // namespace sotto::evaluate
