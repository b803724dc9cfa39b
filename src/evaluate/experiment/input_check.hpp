// Whether everything that a run file names is there, looked up before anything is computed or written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "evaluate/experiment/data_catalog.hpp"
#include "evaluate/experiment/experiment_spec.hpp"

namespace sotto::evaluate {

struct MissingInput {
  std::string problem;          ///< one sentence
  bool in_data_folder = false;  ///< it would be found there
};

/// The data sets, vectors, word lists and models that are not there; `data` is the data
/// folder. What is needed depends on the measures.
std::vector<MissingInput> missing_inputs(const ExperimentSpec& run, const DataCatalog& catalog,
                                         const std::filesystem::path& data);

}  // namespace sotto::evaluate
