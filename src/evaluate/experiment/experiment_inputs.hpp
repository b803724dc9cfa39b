// What the cells of an experiment are measured on: data sets, models and word lists, prepared once. Anything
// missing is recorded with the reason, and only the cells that need it are absent.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/data_catalog.hpp"
#include "evaluate/experiment/dataset.hpp"
#include "evaluate/experiment/experiment_spec.hpp"

namespace sotto::evaluate {

struct PreparedModel {
  std::filesystem::path path;
  std::string digest;
  std::uint32_t words = 0;  ///< 0: a language model
  std::uint32_t dimension = 0;
  std::string about;
  LanguageModelResources language =
      {};  ///< of a language model; texts are made in parallel, each on one thread
};

struct ExperimentInputOptions {
  std::filesystem::path data;    ///< the data folder; empty: none
  std::filesystem::path models;  ///< where models are made and kept
  unsigned threads = 0;
  ProgressCallback progress;  ///< asked whether to continue
};

/// The catalog of a run; rejects a run that names something missing from it.
Result<DataCatalog> read_catalog_of(const ExperimentSpec& run);

/// Immutable once made, so safe to share between threads.
class ExperimentInputs {
 public:
  /// Reads and imports everything that the run names; the catalog must have it. Only an interruption is an
  /// error.
  static Result<ExperimentInputs> prepare(const ExperimentSpec& run, DataCatalog catalog,
                                          const ExperimentInputOptions& options);

  /// Each returns an error with the reason if it is absent.
  Result<const DataSplit*> split(const std::string& dataset, const std::string& name) const;
  Result<const PreparedModel*> model(const std::string& label) const;
  Result<const LabelledWords*> word_list(const std::string& name) const;

  const DatasetEntry& entry(const std::string& dataset) const { return entries_.at(dataset); }
  /// Whether the data set defines a split of that name, available or not.
  bool has_split(const std::string& dataset, const std::string& name) const;
  /// The mean number of words per text (in the rewritten columns): of the training texts, or of the test
  /// texts if there are none.
  Result<double> mean_words(const std::string& dataset) const;

  const DataCatalog& catalog() const { return catalog_; }

 private:
  DataCatalog catalog_;
  std::map<std::string, DatasetEntry> entries_;  // by label
  std::map<std::pair<std::string, std::string>, Result<DataSplit>> splits_;
  std::map<std::string, Result<PreparedModel>> models_;
  std::map<std::string, Result<LabelledWords>> word_lists_;
};

}  // namespace sotto::evaluate
