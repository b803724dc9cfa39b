// The tables of a report, one per unit of ε where figures stand by ε. Each function omits tables without
// figures.
#pragma once

#include <vector>

#include "evaluate/plot/table.hpp"
#include "evaluate/report/report.hpp"
#include "evaluate/report/setting_groups.hpp"

namespace sotto::evaluate {

/// N_w, S_w, PP, CS and LOW by mechanism and ε, a table per data set.
std::vector<ReportTable> privacy_tables(const ReportData& data);
/// English words, BLEU, length and perplexity, a table per data set.
std::vector<ReportTable> text_tables(const ReportData& data);
/// Means over the data sets.
std::vector<ReportTable> average_tables(const ReportData& data);
/// E_M and L_M.
std::vector<ReportTable> inference_tables(const ReportData& data);
std::vector<ReportTable> speed_tables(const ReportData& data);

/// A table per classifier.
std::vector<ReportTable> utility_tables(const ReportData& data);
/// A table per attacker and data set, with utility and relative gain.
std::vector<ReportTable> attack_tables(const ReportData& data);
std::vector<ReportTable> composite_tables(const ReportData& data);
std::vector<ReportTable> regression_tables(const ReportData& data);
/// Mechanisms side by side where an attacker has the same success against each: the only comparison between
/// units of ε. A table per data set and attack.
std::vector<ReportTable> equal_attack_tables(const ReportData& data);

/// PUC by equation 4; nullopt if one of its parts is missing.
std::optional<double> composite_score(const ReportData& data, const std::string& dataset,
                                      const std::string& model, const std::string& mechanism, double epsilon,
                                      double alpha);

}  // namespace sotto::evaluate
