// Data sets: rows of texts with labels and further columns, read from CSV, TSV and JSON lines, sampled with a
// fixed seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "evaluate/experiment/data_catalog.hpp"

namespace sotto::evaluate {

/// Rows of a split. All non-empty vectors have the same length.
struct DataSplit {
  std::vector<std::vector<std::string>> texts;              ///< one vector per text column
  std::vector<std::string> labels;                          ///< empty: the data set has none
  std::map<std::string, std::vector<std::string>> columns;  ///< the further ones requested
  std::string digest;                                       ///< SHA-256 of all of it

  std::size_t size() const { return texts.empty() ? 0 : texts.front().size(); }
};

/// What is needed from a data set.
struct DatasetRequest {
  std::set<std::string> splits;               ///< those to return
  std::map<std::string, std::uint64_t> rows;  ///< maximum per split, drawn at random; other splits: all
  std::set<std::string> columns;              ///< besides texts and label
  std::uint64_t seed = 0;
};

using DatasetSplits = std::map<std::string, DataSplit>;

/// Reads the splits. The rows of a split are in file order; which are chosen depends on seed, data set and
/// split alone. A missing file is Errc::not_found.
Result<DatasetSplits> load_dataset(const DatasetEntry& entry, const std::filesystem::path& folder,
                                   const DatasetRequest& request);

/// The text after `preparation`.
std::string prepare_text(std::string_view text, TextPreparation preparation);

/// Words and their classes ("" if the list has none), in file order, each word once. The text of a line up to
/// a tab counts; empty lines and those starting with ';' do not.
struct LabelledWords {
  std::vector<std::string> words;
  std::vector<std::string> classes;
};
Result<LabelledWords> load_word_list(const WordListEntry& entry, const std::filesystem::path& folder);

}  // namespace sotto::evaluate
