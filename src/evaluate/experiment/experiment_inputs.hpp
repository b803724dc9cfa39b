// What the cells of an experiment are measured on: data sets, models and word lists, prepared once. Anything
// missing is recorded with the reason, and only the cells that need it are absent.
#pragma once

#include <filesystem>
#include <map>
#include <set>
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
  std::filesystem::path data;    ///< the data folder
  std::filesystem::path models;  ///< where models are made and kept
  unsigned threads = 0;
  ProgressCallback progress;  ///< asked whether to continue
};

/// The catalog of a run; rejects a run that names something missing from it.
Result<DataCatalog> read_catalog_of(const ExperimentSpec& run);

/// The description of a data set, from the run file or the catalog.
const DatasetEntry& dataset_entry(const DatasetSpec& spec, const DataCatalog& catalog);
/// The splits of a data set that the measures use.
std::set<std::string> needed_splits(const ExperimentSpec& run, const DatasetSpec& spec,
                                    const DatasetEntry& entry);

/// Immutable once made, so safe to share between threads.
class ExperimentInputs {
 public:
  /// Reads the data sets and word lists that the run names; the catalog must have them. A file that is not
  /// there is recorded, one that does not fit its description is an error, as is an interruption.
  static Result<ExperimentInputs> read_data(const ExperimentSpec& run, DataCatalog catalog,
                                            const ExperimentInputOptions& options);
  /// Finds, imports or builds the models. Only an interruption is an error.
  Result<void> make_models(const ExperimentSpec& run, const ExperimentInputOptions& options);
  /// Both.
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
