// Which plots a report has, as HTML. A plot for which there are no figures is left out.
#pragma once

#include <string>

#include "evaluate/report/report.hpp"

namespace sotto {

/// N_w, S_w, their ratio and CS against ε.
std::string privacy_plots(const ReportData& data);
/// Scores against ε with baselines, and against privacy.
std::string utility_plots(const ReportData& data);
/// What an attacker finds out, against ε and against utility.
std::string attack_plots(const ReportData& data);
/// E_M against ε and against the loss.
std::string inference_plots(const ReportData& data);
/// PUC as bars, a plot for each data set and α.
std::string composite_plots(const ReportData& data);
std::string speed_plots(const ReportData& data);

}  // namespace sotto
