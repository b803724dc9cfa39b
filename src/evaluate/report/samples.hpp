// Sample texts of a report.
#pragma once

#include <string>

#include "evaluate/report/report.hpp"

namespace sotto::evaluate {

/// A table per text: the original, and what each mechanism made of it at its smallest, middle and largest ε.
std::string samples_html(const ReportData& data);

}  // namespace sotto::evaluate
