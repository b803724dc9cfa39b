#include "evaluate/experiment/input_check.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <sotto/language_models.hpp>
#include <sotto/model.hpp>

#include "base/suggestion.hpp"
#include "evaluate/experiment/experiment_inputs.hpp"
#include "evaluate/experiment/yaml_map.hpp"

namespace sotto::evaluate {
namespace {

class InputCheck {
 public:
  InputCheck(const ExperimentSpec& run, const DataCatalog& catalog, const std::filesystem::path& data)
      : run_(run), catalog_(catalog), data_(data) {}

  std::vector<MissingInput> run() {
    for (const DatasetSpec& spec : run_.datasets) check(spec);
    for (const std::string& name : used_word_lists(run_))
      for (const auto& [word_class, path] : catalog_.word_lists.at(name).files)
        need_file(fmt::format("word list '{}'", name), path);
    for (const ModelSpec& spec : run_.models) check(spec);
    if (run_.texts) check(*run_.texts);
    return std::move(missing_);
  }

 private:
  void need_file(const std::string& what, const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::exists(data_ / path, ignored)) return;
    missing_.push_back(
        {fmt::format("{}: {} is not in the data folder {}", what, path.string(), data_.string()), true});
  }

  template <class Found>
  void need(const std::string& what, const Result<Found>& found) {
    if (!found)
      missing_.push_back({fmt::format("{}: {}", what, describe_for_run_file(found.error())), false});
  }

  void check(const DatasetSpec& spec) {
    const DatasetEntry& entry = dataset_entry(spec, catalog_);
    std::vector<std::string> names;
    for (const SplitSource& split : entry.splits) names.push_back(split.name);
    std::set<std::filesystem::path> files;
    for (const std::string& name : needed_splits(run_, spec, entry)) {
      const SplitSource* source = entry.file_of(name);
      if (source == nullptr) {
        missing_.push_back({fmt::format("data set '{}': has no split '{}', which is measured{}", spec.label,
                                        name, base::suggestion(name, names)),
                            false});
      } else {
        files.insert(source->path);
      }
    }
    for (const std::filesystem::path& file : files) need_file(fmt::format("data set '{}'", spec.label), file);
  }

  void check(const ModelSpec& spec) {
    const std::string what = fmt::format("model '{}'", spec.label);
    if (!spec.vectors.empty()) need_file(what, catalog_.vectors.at(spec.vectors).path);
    if (!spec.file.empty()) need(what, find_model(spec.file));
    if (!spec.language_model.empty()) need(what, find_language_model(spec.language_model));
  }

  void check(const TextsMeasure& texts) {
    const auto measures = [&](std::string_view metric) {
      return std::find(texts.metrics.begin(), texts.metrics.end(), metric) != texts.metrics.end();
    };
    if (measures("cs") && texts.similarity != "average")
      need("measures.texts.similarity", find_language_model(texts.similarity));
    if (measures("cs") && !texts.similarity_model.empty())
      need("measures.texts.similarity_model", find_model(texts.similarity_model));
    if (measures("perplexity") && !texts.language_model.empty())
      need("measures.texts.language_model", find_language_model(texts.language_model));
  }

  const ExperimentSpec& run_;
  const DataCatalog& catalog_;
  const std::filesystem::path& data_;
  std::vector<MissingInput> missing_;
};

}  // namespace

std::vector<MissingInput> missing_inputs(const ExperimentSpec& run, const DataCatalog& catalog,
                                         const std::filesystem::path& data) {
  return InputCheck(run, catalog, data).run();
}

}  // namespace sotto::evaluate
