// Files in, files out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/ledger.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/privatizer.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class Format { text, jsonl, csv, tsv };
const char* to_string(Format format);

/// "text", "jsonl", "csv" or "tsv".
Result<Format> parse_format(std::string_view name);

/// Shard `index` (from 1) of `count`; contiguous records, so that the outputs put together equal the whole.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};

/// "i/N".
Result<Shard> parse_shard(std::string_view text);

/// Which documents, from where to where.
struct FileOptions {
  std::vector<std::filesystem::path> inputs;    ///< empty: standard input
  std::optional<std::filesystem::path> output;  ///< empty: standard output
  std::optional<std::filesystem::path> report;  ///< where the receipt goes; empty: nowhere
  /// Where exact counts of the input go, readable by the owner only; no guarantee covers them. Empty:
  /// nowhere.
  std::optional<std::filesystem::path> statistics;
  std::optional<Format> format;     ///< empty: by the first input's extension, otherwise text
  std::vector<std::string> fields;  ///< which fields of a record are documents; not for text
  std::string dataset;              ///< namespace of the ids; empty: each input's base name
  std::string id_field;             ///< empty: the record number is the id
  unsigned threads = 0;             ///< 0: one for each processor
  Shard shard;
  std::optional<LedgerOptions> ledger;  ///< empty: spending is not recorded; otherwise key_file is needed
  bool resume = false;                  ///< go on where an interrupted run stopped; needs key_file and output
  bool allow_empty = false;             ///< accept an input that has records but no document
  ProgressCallback progress;
};

/// Runs over files. The output file appears only when it is complete; memory does not depend on the input's
/// size.
Result<Receipt> privatize_files(const PrivatizeOptions& options, const FileOptions& files);
/// The same with what is open already. Safe to call from several threads.
Result<Receipt> privatize_files(const Privatizer& privatizer, const FileOptions& files);

}  // namespace sotto
