// Privatized texts, stored as files under the hash of what determines them, so that the metrics, classifiers
// and attackers of one setting share them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/cache_key.hpp"
#include "evaluate/experiment/experiment_inputs.hpp"
#include "evaluate/experiment/grid.hpp"

namespace sotto::evaluate {

/// A split to rewrite once. Strings are labels.
struct TextRequest {
  std::string dataset;
  std::string split;
  std::string model;
  std::string mechanism;
  double epsilon = 0;
  std::uint64_t repetition = 0;
};

/// The request for a split of a cell's data set.
TextRequest texts_of(const Cell& cell, const std::string& split);

/// Texts by column of the data set's `text`, with rows in the order of the split.
using TextColumns = std::vector<std::vector<std::string>>;

/// Thread-safe, as long as no two threads make the same texts.
class RewrittenTexts {
 public:
  RewrittenTexts(const ExperimentSpec& run, const ExperimentInputs& inputs, const CacheKeys& cache_keys,
                 std::filesystem::path folder)
      : run_(run), inputs_(inputs), cache_keys_(cache_keys), folder_(std::move(folder)) {}

  /// What determines the texts; an error with the reason if they cannot be made.
  Result<nlohmann::json> identity(const TextRequest& request) const;
  Result<std::string> key(const TextRequest& request) const;

  bool is_made(const std::string& key) const;
  /// Rewrites the split. `progress` is asked whether to continue.
  Result<void> make(const TextRequest& request, const ProgressCallback& progress) const;
  /// The texts, which must have been made.
  Result<TextColumns> load(const TextRequest& request) const;
  /// The first `rows` rows of them, or all if there are fewer, without reading the rest.
  Result<TextColumns> load_first(const TextRequest& request, std::size_t rows) const;
  /// Tokens, seconds and so on of their making; empty if they were not made.
  nlohmann::ordered_json report(const std::string& key) const;

 private:
  Result<PrivatizeOptions> options(const TextRequest& request) const;
  Result<void> set_budget(const TextRequest& request, const std::string& name,
                          PrivatizeOptions& options) const;
  Result<std::filesystem::path> write_originals(const TextRequest& request, const DataSplit& split) const;
  std::filesystem::path texts_file(const std::string& key) const { return folder_ / (key + ".jsonl"); }
  std::filesystem::path report_file(const std::string& key) const { return folder_ / (key + ".json"); }

  const ExperimentSpec& run_;
  const ExperimentInputs& inputs_;
  const CacheKeys& cache_keys_;
  std::filesystem::path folder_;
  mutable std::mutex originals_;
};

}  // namespace sotto::evaluate
