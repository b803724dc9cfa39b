// The plots of a report, as HTML. Plots without figures are omitted.
#pragma once

#include <string>

#include "evaluate/report/report.hpp"

namespace sotto::evaluate {

/// N_w, S_w, their ratio and CS against ε.
std::string privacy_plots(const ReportData& data);
/// Scores against ε with baselines, and against privacy.
std::string utility_plots(const ReportData& data);
/// What an attacker infers, against ε and against utility.
std::string attack_plots(const ReportData& data);
/// E_M against ε and against the loss.
std::string inference_plots(const ReportData& data);
/// PUC as bars, a plot per data set and α.
std::string composite_plots(const ReportData& data);
std::string speed_plots(const ReportData& data);

}  // namespace sotto::evaluate
