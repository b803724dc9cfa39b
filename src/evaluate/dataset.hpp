// Data sets: rows of texts with labels and further columns, read from CSV, TSV and JSON lines, sampled by a
// fixed seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "evaluate/data_catalog.hpp"

namespace sotto {

/// Rows of a split. All vectors that are not empty have the same length.
struct DataSplit {
  std::vector<std::vector<std::string>> texts;              ///< one vector for each text column
  std::vector<std::string> labels;                          ///< empty: the data set has none
  std::map<std::string, std::vector<std::string>> columns;  ///< the further ones that were asked for
  std::string digest;                                       ///< SHA-256 of all of it

  std::size_t size() const { return texts.empty() ? 0 : texts.front().size(); }
};

/// What is needed of a data set.
struct DatasetRequest {
  std::set<std::string> splits;               ///< those to give back
  std::map<std::string, std::uint64_t> rows;  ///< at most so many of a split, drawn at random; others: all
  std::set<std::string> columns;              ///< beside texts and label
  std::uint64_t seed = 0;
};

using DatasetSplits = std::map<std::string, DataSplit>;

/// Reads the splits. The rows of a split stand in the order of the file; which are chosen depends on seed,
/// data set and split alone. A file that is not there is Errc::not_found.
Result<DatasetSplits> load_dataset(const DatasetEntry& entry, const std::filesystem::path& folder,
                                   const DatasetRequest& request);

/// A text as `preparation` leaves it.
std::string prepare_text(std::string_view text, TextPreparation preparation);

/// Words and their classes ("" where the list has none), in the order of the files, each word once. The text
/// of a line up to a tab counts; empty lines and those that begin with ';' do not.
struct LabelledWords {
  std::vector<std::string> words;
  std::vector<std::string> classes;
};
Result<LabelledWords> load_word_list(const WordListEntry& entry, const std::filesystem::path& folder);

}  // namespace sotto
