// What the cells of an experiment are measured on: data sets, models and word lists, made ready once. What is
// not there is remembered with the reason, and only the cells that need it are absent.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/data_catalog.hpp"
#include "evaluate/dataset.hpp"
#include "evaluate/run_file.hpp"

namespace sotto {

struct PreparedModel {
  std::filesystem::path path;
  std::string digest;
  std::uint32_t words = 0;  ///< 0: a language model
  std::uint32_t dimension = 0;
  std::string about;
  LanguageModelResources language =
      {};  ///< of a language model; texts are made side by side, each on one thread
};

struct MaterialOptions {
  std::filesystem::path data;    ///< the data folder; empty: there is none
  std::filesystem::path models;  ///< where models are made and kept
  unsigned threads = 0;
  ProgressCallback progress;  ///< asked whether to go on
};

/// The catalog of a run; refused where the run names something that is not in it.
Result<DataCatalog> read_catalog_of(const RunFile& run);

/// Immutable once it is made, so safe to share between threads.
class Material {
 public:
  /// Reads and imports everything that the run names; the catalog must know it. Only an interruption is an
  /// error.
  static Result<Material> prepare(const RunFile& run, DataCatalog catalog, const MaterialOptions& options);

  /// Each is an error with the reason where it is absent.
  Result<const DataSplit*> split(const std::string& dataset, const std::string& name) const;
  Result<const PreparedModel*> model(const std::string& label) const;
  Result<const LabelledWords*> word_list(const std::string& name) const;

  const DatasetEntry& entry(const std::string& dataset) const { return entries_.at(dataset); }
  /// Whether the data set has a split of that name, there or not.
  bool has_split(const std::string& dataset, const std::string& name) const;
  /// The mean number of words of a text (of its columns that are rewritten): of the training texts, or of the
  /// test texts where there are none.
  Result<double> mean_words(const std::string& dataset) const;

  const DataCatalog& catalog() const { return catalog_; }

 private:
  DataCatalog catalog_;
  std::map<std::string, DatasetEntry> entries_;  // by label
  std::map<std::pair<std::string, std::string>, Result<DataSplit>> splits_;
  std::map<std::string, Result<PreparedModel>> models_;
  std::map<std::string, Result<LabelledWords>> word_lists_;
};

}  // namespace sotto
