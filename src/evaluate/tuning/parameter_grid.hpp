// Combinations of mechanisms and parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto::evaluate {

/// A mechanism before ε is chosen.
struct MechanismVariant {
  std::string mechanism;
  ParameterValues parameters;

  /// Mechanism and given parameters, such as "vickrey t=0.5".
  std::string name() const;
};

/// Values by "parameter" (for every mechanism that has it) or "mechanism.parameter", which takes precedence.
using ParameterGrid = std::map<std::string, std::vector<std::string>>;

/// Every combination, in the order of the mechanisms. Rejects unknown mechanisms, and parameters that none of
/// them has.
Result<std::vector<MechanismVariant>> expand_grid(const std::vector<std::string>& mechanisms,
                                                  const ParameterGrid& grid);

}  // namespace sotto::evaluate
