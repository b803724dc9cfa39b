// The data of experiments: data sets, vectors and word lists by name, in one YAML file. Its paths are
// relative to a data folder, which differs between machines.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/experiment/yaml_map.hpp"

namespace sotto::evaluate {

/// Preprocessing of a text.
enum class TextPreparation {
  none,
  words,  ///< lower case, no markup, punctuation, numbers and stopwords, as in the comparative analysis
};

/// The source of a split's rows: a file, or a random share of another split, which then lacks them.
struct SplitSource {
  std::string name;
  std::filesystem::path path;  ///< relative to the data folder; empty: `from`
  Format format = Format::csv;
  bool header = true;
  std::vector<std::string> columns;  ///< their names if there is no header
  TextPreparation prepare = TextPreparation::none;
  std::string from;
  double share = 0;
  std::optional<char> delimiter = std::nullopt;  ///< of CSV; empty: found by the header
};

struct DatasetEntry {
  std::string name;
  std::string about;
  std::vector<std::string> text;       ///< one column, or the two of a pair
  std::vector<std::string> privatize;  ///< which of them to rewrite
  std::string label;                   ///< column; empty: none
  TaskKind task = TaskKind::classification;
  std::map<std::string, std::vector<std::string>> keep;  ///< only rows with one of these values in the column
  std::vector<SplitSource> splits;

  /// Whether the column text[index] is rewritten.
  bool is_privatized(std::size_t index) const;
  /// Where the rows of a split come from: its own file, or that of the split it is a share of; null if there
  /// is no such split.
  const SplitSource* file_of(std::string_view split) const;
};

struct VectorsEntry {
  std::filesystem::path path;
  std::string about;  ///< what it is, and what it substitutes if the original is not available
};

/// Words with a class each, or one unnamed class.
struct WordListEntry {
  std::vector<std::pair<std::string, std::filesystem::path>> files;  ///< (class, path)
  std::string about;
};

struct DataCatalog {
  std::map<std::string, DatasetEntry> datasets;
  std::map<std::string, VectorsEntry> vectors;
  std::map<std::string, WordListEntry> word_lists;
};

Result<DataCatalog> read_data_catalog(const std::filesystem::path& file);
/// The same from a map of another file.
Result<DataCatalog> read_data_catalog(const YamlMap& map);

/// The keys of a data set. If one file is all of it, those of a split stand among them, instead of `splits`.
const std::vector<std::string_view>& dataset_keys();
Result<DatasetEntry> read_dataset(const YamlMap& map, const std::string& name);

}  // namespace sotto::evaluate
