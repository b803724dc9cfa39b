// Makes the models of an experiment from the data folder, and keeps them for the next run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/experiment_inputs.hpp"

namespace sotto::evaluate {

class ModelMaker {
 public:
  using WordLists = std::map<std::string, Result<LabelledWords>>;
  ModelMaker(const ExperimentSpec& run, const DataCatalog& catalog, const WordLists& word_lists,
             const ExperimentInputOptions& options)
      : run_(run), catalog_(catalog), word_lists_(word_lists), options_(options) {}

  /// The model, found or made; otherwise the reason why not.
  Result<PreparedModel> make(const ModelSpec& spec) const;

 private:
  Result<PreparedModel> open_file(const ModelSpec& spec) const;
  Result<PreparedModel> open_language_model(const ModelSpec& spec) const;
  Result<std::filesystem::path> import(const ModelSpec& spec, const std::vector<std::string>* only) const;
  Result<PreparedModel> build(const ModelSpec& spec) const;
  Result<std::vector<std::string>> shared_words(const ModelSpec& spec) const;
  std::filesystem::path kept(const std::string& label, const std::string& identity) const;

  const ExperimentSpec& run_;
  const DataCatalog& catalog_;
  const WordLists& word_lists_;
  const ExperimentInputOptions& options_;
};

}  // namespace sotto::evaluate
