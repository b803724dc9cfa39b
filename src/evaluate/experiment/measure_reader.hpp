// Reads the sections 'measures' and 'report' of a run file.
#pragma once

#include <sotto/result.hpp>

#include "evaluate/experiment/experiment_spec.hpp"
#include "evaluate/experiment/yaml_map.hpp"

namespace sotto::evaluate {

/// Fills the measures and the report of `run` from the file's map.
Result<void> read_measures(const YamlMap& root, ExperimentSpec& run);

}  // namespace sotto::evaluate
