#include "evaluate/experiment/experiment_inputs.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "base/work_meter.hpp"
#include "evaluate/experiment/model_maker.hpp"
#include "evaluate/experiment/yaml_map.hpp"
#include "evaluate/metrics/text_metrics.hpp"

namespace sotto::evaluate {
namespace {

bool selected(const std::vector<std::string>& labels, const std::string& label) {
  return labels.empty() || std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The splits and further columns of a data set that the measures use.
DatasetRequest needs_of(const ExperimentSpec& run, const DatasetSpec& spec, const DatasetEntry& entry) {
  DatasetRequest request;
  request.rows = spec.rows;
  request.seed = run.seed;
  const auto is_split = [&](const std::string& name) {
    return std::any_of(entry.splits.begin(), entry.splits.end(),
                       [&](const SplitSource& split) { return split.name == name; });
  };
  const auto need_task = [&] {
    request.splits.insert({"train", "test"});
    if (is_split("validation")) request.splits.insert("validation");
  };
  if (run.words && run.words->from_texts && selected(run.words->of.datasets, spec.label))
    request.splits.insert(run.words->split);
  if (run.texts && selected(run.texts->of.datasets, spec.label)) request.splits.insert(run.texts->split);
  for (const ClassifierSpec& classifier : run.classifiers)
    if (selected(classifier.of.datasets, spec.label)) need_task();
  for (const AttackerSpec& attacker : run.attackers)
    if (selected(attacker.of.datasets, spec.label)) {
      need_task();
      request.columns.insert(attacker.attribute);
    }
  for (const InferenceSpec& inference : run.inference)
    if (inference.prior == spec.label) request.splits.insert(inference.split);
  return request;
}

Result<DataSplit> read_one(const DatasetEntry& entry, const std::filesystem::path& folder,
                           DatasetRequest request, const std::string& name) {
  const SplitSource* source = entry.file_of(name);
  if (source == nullptr)
    return fail(Errc::not_found, fmt::format("data set '{}' has no split '{}'", entry.name, name));
  std::error_code ignored;
  if (!std::filesystem::exists(folder / source->path, ignored))
    return fail(Errc::not_found, fmt::format("data set '{}': {} is not in the data folder", entry.name,
                                             source->path.string()));
  request.splits = {name};
  SOTTO_ASSIGN(DatasetSplits splits, load_dataset(entry, folder, request));
  return std::move(splits[name]);
}

template <class Entry>
Result<void> check_name(const std::map<std::string, Entry>& entries, const std::string& name,
                        std::string_view what, const ExperimentSpec& run) {
  if (entries.contains(name)) return {};
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& [known, entry] : entries) names.push_back(known);
  return fail(Errc::invalid_argument, fmt::format("{}: there is no {} '{}' in {}{}; {}", run.file.string(),
                                                  what, name, run.own_catalog ? "it" : run.catalog.string(),
                                                  base::suggestion(name, names), there_are(names)));
}

Result<LabelledWords> read_list(const std::string& name, const WordListEntry& entry,
                                const std::filesystem::path& folder) {
  for (const auto& [word_class, path] : entry.files) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / path, ignored))
      return fail(Errc::not_found,
                  fmt::format("word list '{}': {} is not in the data folder", name, path.string()));
  }
  return load_word_list(entry, folder);
}

}  // namespace

Result<DataCatalog> read_catalog_of(const ExperimentSpec& run) {
  DataCatalog catalog = run.own_catalog.value_or(DataCatalog());
  if (!run.catalog.empty()) {
    SOTTO_ASSIGN(catalog, read_data_catalog(run.catalog));
  }
  for (const DatasetSpec& spec : run.datasets)
    if (!spec.own) SOTTO_TRY(check_name(catalog.datasets, spec.from, "data set", run));
  for (const std::string& name : used_word_lists(run))
    SOTTO_TRY(check_name(catalog.word_lists, name, "word list", run));
  for (const ModelSpec& spec : run.models)
    if (!spec.vectors.empty())
      SOTTO_TRY(check_name(catalog.vectors, spec.vectors, "entry under 'vectors'", run));
  return catalog;
}

const DatasetEntry& dataset_entry(const DatasetSpec& spec, const DataCatalog& catalog) {
  return spec.own ? *spec.own : catalog.datasets.at(spec.from);
}

std::set<std::string> needed_splits(const ExperimentSpec& run, const DatasetSpec& spec,
                                    const DatasetEntry& entry) {
  return needs_of(run, spec, entry).splits;
}

Result<ExperimentInputs> ExperimentInputs::prepare(const ExperimentSpec& run, DataCatalog catalog,
                                                   const ExperimentInputOptions& options) {
  SOTTO_ASSIGN(ExperimentInputs inputs, read_data(run, std::move(catalog), options));
  SOTTO_TRY(inputs.make_models(run, options));
  return inputs;
}

Result<ExperimentInputs> ExperimentInputs::read_data(const ExperimentSpec& run, DataCatalog catalog,
                                                     const ExperimentInputOptions& options) {
  ExperimentInputs inputs;
  inputs.catalog_ = std::move(catalog);
  for (const DatasetSpec& spec : run.datasets) {
    SOTTO_TRY(base::report_progress(options.progress, 0, 0));
    const DatasetEntry& entry = dataset_entry(spec, inputs.catalog_);
    inputs.entries_.emplace(spec.label, entry);
    const DatasetRequest request = needs_of(run, spec, entry);
    for (const std::string& name : request.splits) {
      auto split = read_one(entry, options.data, request, name);
      if (!split && split.error().code != Errc::not_found) return tl::unexpected(split.error());
      inputs.splits_.emplace(std::pair(spec.label, name), std::move(split));
    }
  }
  for (const std::string& name : used_word_lists(run))
    inputs.word_lists_.emplace(name, read_list(name, inputs.catalog_.word_lists.at(name), options.data));
  return inputs;
}

Result<void> ExperimentInputs::make_models(const ExperimentSpec& run, const ExperimentInputOptions& options) {
  for (const ModelSpec& spec : run.models) {
    SOTTO_TRY(base::report_progress(options.progress, 0, 0));
    const ModelMaker maker(run, catalog_, word_lists_, options);
    auto made = maker.make(spec);
    if (!made && made.error().code == Errc::interrupted) return tl::unexpected(made.error());
    models_.emplace(spec.label, std::move(made));
  }
  return {};
}

Result<const DataSplit*> ExperimentInputs::split(const std::string& dataset, const std::string& name) const {
  const auto found = splits_.find({dataset, name});
  if (found == splits_.end())
    return fail(Errc::not_found, fmt::format("data set '{}' has no split '{}'", dataset, name));
  if (!found->second) return tl::unexpected(found->second.error());
  return &*found->second;
}

Result<const PreparedModel*> ExperimentInputs::model(const std::string& label) const {
  const auto& found = models_.at(label);
  if (!found) return tl::unexpected(found.error());
  return &*found;
}

Result<const LabelledWords*> ExperimentInputs::word_list(const std::string& name) const {
  const auto& found = word_lists_.at(name);
  if (!found) return tl::unexpected(found.error());
  return &*found;
}

bool ExperimentInputs::has_split(const std::string& dataset, const std::string& name) const {
  return splits_.contains({dataset, name});
}

Result<double> ExperimentInputs::mean_words(const std::string& dataset) const {
  const DatasetEntry& about = entry(dataset);
  SOTTO_ASSIGN(const DataSplit* texts, split(dataset, has_split(dataset, "train") ? "train" : "test"));
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < about.text.size(); ++i) {
    if (!about.is_privatized(i)) continue;
    for (const std::string& text : texts->texts[i]) words += words_of(text).size();
  }
  return static_cast<double>(words) / static_cast<double>(std::max<std::size_t>(texts->size(), 1));
}

}  // namespace sotto::evaluate
