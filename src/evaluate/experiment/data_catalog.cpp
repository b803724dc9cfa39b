#include "evaluate/experiment/data_catalog.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/compressed_input.hpp"

namespace sotto::evaluate {
namespace {

Format format_by_name(const std::filesystem::path& path) {
  const std::filesystem::path extension = base::without_compression(path).extension();
  if (extension == ".tsv") return Format::tsv;
  if (extension == ".jsonl" || extension == ".ndjson") return Format::jsonl;
  if (extension == ".json") return Format::json;
  return Format::csv;
}

/// What is said about a file: path, format, delimiter, header, columns, prepare.
Result<void> read_file_keys(const YamlMap& map, SplitSource& split) {
  SOTTO_ASSIGN(const std::string path, map.text("path", {}));
  if (map.has("path") && path.empty()) return map.problem("path", "is empty; give a file");
  split.path = path;
  SOTTO_ASSIGN(const std::string format, map.text("format", sotto::to_string(format_by_name(path))));
  const auto parsed = parse_format(format);
  if (!parsed || *parsed == Format::text) return map.problem("format", "must be csv, tsv, jsonl or json");
  split.format = *parsed;
  SOTTO_ASSIGN(const std::string delimiter, map.text("delimiter", {}));
  if (!delimiter.empty()) {
    const auto between_columns = parse_delimiter(delimiter);
    if (!between_columns || split.format != Format::csv)
      return map.problem("delimiter", "must be one character, or tab, and is for csv only");
    split.delimiter = *between_columns;
  }
  SOTTO_ASSIGN(split.header, map.flag("header", true));
  SOTTO_ASSIGN(split.columns, map.texts("columns"));
  if (!split.header && split.columns.empty())
    return map.problem("header", "without a header 'columns' must name the columns");
  SOTTO_ASSIGN(const std::size_t prepare, map.choice("prepare", {"none", "words"}, 0));
  split.prepare = prepare == 0 ? TextPreparation::none : TextPreparation::words;
  return {};
}

Result<SplitSource> read_split(const YamlMap& splits, const std::string& name) {
  SplitSource split;
  split.name = name;
  if (splits.node(name).IsScalar()) {
    split.path = splits.node(name).Scalar();
    split.format = format_by_name(split.path);
    return split;
  }
  SOTTO_ASSIGN(const YamlMap map, splits.map(name, {"path", "format", "delimiter", "header", "columns",
                                                    "prepare", "from", "share"}));
  SOTTO_ASSIGN(split.from, map.text("from", {}));
  if (split.from.empty() != map.has("path"))
    return splits.problem(name, "give either a path, or 'from' and 'share'");
  SOTTO_ASSIGN(split.share, map.number("share", 0, 1, 0));
  if (!split.from.empty() && split.share == 0) return splits.problem(name, "'from' needs a 'share' above 0");
  SOTTO_TRY(read_file_keys(map, split));
  return split;
}

/// The splits of a data set that is one file: a random share of its rows is for tests.
Result<std::vector<SplitSource>> split_one_file(const YamlMap& map) {
  constexpr double kTestShare = 0.2;
  if (map.has("splits")) return map.problem("path", "cannot be given together with 'splits'");
  SplitSource train;
  train.name = "train";
  SOTTO_TRY(read_file_keys(map, train));
  SplitSource test;
  test.name = "test";
  test.from = train.name;
  SOTTO_ASSIGN(test.share, map.number("test", 0.001, 0.999, kTestShare));
  return std::vector<SplitSource>{train, test};
}

Result<std::vector<SplitSource>> read_splits(const YamlMap& map) {
  if (map.has("path")) return split_one_file(map);
  for (const char* key : {"test", "format", "delimiter", "header", "columns", "prepare"})
    if (map.has(key)) return map.problem(key, "goes with 'path' only, or with a split");
  std::vector<SplitSource> sources;
  SOTTO_ASSIGN(const YamlMap splits, map.any_map("splits"));
  for (const std::string& split : splits.keys()) {
    SOTTO_ASSIGN(SplitSource source, read_split(splits, split));
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<void> check_splits(const YamlMap& map, const DatasetEntry& entry) {
  if (entry.splits.empty()) return map.problem("splits", "must name at least one split");
  for (const SplitSource& split : entry.splits) {
    if (split.from.empty()) continue;
    const auto source = std::find_if(entry.splits.begin(), entry.splits.end(),
                                     [&](const SplitSource& other) { return other.name == split.from; });
    if (source == entry.splits.end() || !source->from.empty())
      return map.problem("splits", fmt::format("'{}' is taken from '{}', which is not a split with a path",
                                               split.name, split.from));
  }
  return {};
}

}  // namespace

const std::vector<std::string_view>& dataset_keys() {
  static const std::vector<std::string_view> keys = {"about",     "text",   "privatize", "label",  "task",
                                                     "keep",      "splits", "path",      "test",   "format",
                                                     "delimiter", "header", "columns",   "prepare"};
  return keys;
}

Result<DatasetEntry> read_dataset(const YamlMap& map, const std::string& name) {
  DatasetEntry entry;
  entry.name = name;
  SOTTO_ASSIGN(entry.about, map.text("about", {}));
  SOTTO_ASSIGN(entry.text, map.texts("text"));
  if (entry.text.empty()) entry.text = {"text"};
  if (entry.text.size() > 2) return map.problem("text", "must be one column, or two for pairs");
  SOTTO_ASSIGN(entry.privatize, map.texts("privatize"));
  if (entry.privatize.empty()) entry.privatize = entry.text;
  for (const std::string& column : entry.privatize)
    if (std::find(entry.text.begin(), entry.text.end(), column) == entry.text.end())
      return map.problem("privatize", fmt::format("'{}' is not one of the columns under 'text'", column));
  SOTTO_ASSIGN(entry.label, map.text("label", {}));
  SOTTO_ASSIGN(const std::size_t task, map.choice("task", {"classification", "regression"}, 0));
  entry.task = task == 0 ? TaskKind::classification : TaskKind::regression;
  SOTTO_ASSIGN(const YamlMap keep, map.any_map("keep"));
  for (const std::string& column : keep.keys()) {
    SOTTO_ASSIGN(entry.keep[column], keep.texts(column));
  }
  SOTTO_ASSIGN(entry.splits, read_splits(map));
  SOTTO_TRY(check_splits(map, entry));
  return entry;
}

namespace {

Result<VectorsEntry> read_vectors(const YamlMap& vectors, const std::string& name) {
  SOTTO_ASSIGN(const YamlMap map, vectors.map(name, {"path", "about"}));
  VectorsEntry entry;
  SOTTO_ASSIGN(entry.path, map.required_text("path"));
  SOTTO_ASSIGN(entry.about, map.text("about", {}));
  return entry;
}

Result<WordListEntry> read_word_list(const YamlMap& lists, const std::string& name) {
  SOTTO_ASSIGN(const YamlMap map, lists.map(name, {"path", "classes", "about"}));
  WordListEntry entry;
  SOTTO_ASSIGN(entry.about, map.text("about", {}));
  SOTTO_ASSIGN(const auto classes, map.text_map("classes"));
  if (map.has("path") == !classes.empty())
    return lists.problem(name, "give either a path, or a path for each of the classes");
  for (const auto& [word_class, path] : classes) entry.files.emplace_back(word_class, path);
  if (map.has("path")) {
    SOTTO_ASSIGN(const std::string path, map.text("path", {}));
    entry.files.emplace_back("", path);
  }
  return entry;
}

}  // namespace

bool DatasetEntry::is_privatized(std::size_t index) const {
  return std::find(privatize.begin(), privatize.end(), text[index]) != privatize.end();
}

const SplitSource* DatasetEntry::file_of(std::string_view split) const {
  const auto find = [&](std::string_view wanted) -> const SplitSource* {
    const auto found = std::find_if(splits.begin(), splits.end(),
                                    [&](const SplitSource& source) { return source.name == wanted; });
    return found == splits.end() ? nullptr : &*found;
  };
  const SplitSource* source = find(split);
  return source == nullptr || source->from.empty() ? source : find(source->from);
}

Result<DataCatalog> read_data_catalog(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const YAML::Node node, load_yaml(file));
  SOTTO_ASSIGN(const YamlMap root,
               YamlMap::open(node, file.string(), {}, {"datasets", "vectors", "word_lists"}));
  return read_data_catalog(root);
}

Result<DataCatalog> read_data_catalog(const YamlMap& root) {
  DataCatalog catalog;
  SOTTO_ASSIGN(const YamlMap datasets, root.any_map("datasets"));
  for (const std::string& name : datasets.keys()) {
    SOTTO_ASSIGN(const YamlMap entry, datasets.map(name, dataset_keys()));
    SOTTO_ASSIGN(catalog.datasets[name], read_dataset(entry, name));
  }
  SOTTO_ASSIGN(const YamlMap vectors, root.any_map("vectors"));
  for (const std::string& name : vectors.keys()) {
    SOTTO_ASSIGN(catalog.vectors[name], read_vectors(vectors, name));
  }
  SOTTO_ASSIGN(const YamlMap lists, root.any_map("word_lists"));
  for (const std::string& name : lists.keys()) {
    SOTTO_ASSIGN(catalog.word_lists[name], read_word_list(lists, name));
  }
  return catalog;
}

}  // namespace sotto::evaluate
