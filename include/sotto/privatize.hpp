// Files in, files out.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/ledger.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/privatizer.hpp>
#include <sotto/progress.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class Format { text, jsonl, csv, tsv };
inline constexpr std::array<std::string_view, 4> kFormatNames = {"text", "jsonl", "csv", "tsv"};
/// Thread-safe.
SOTTO_API const char* to_string(Format format);

/// "text", "jsonl", "csv" or "tsv". Thread-safe.
SOTTO_API Result<Format> parse_format(std::string_view name);

/// Shard `index` (from 1) of `count`. Its records are contiguous, so the concatenated outputs of all shards
/// equal the whole.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};

/// "i/N". Thread-safe.
SOTTO_API Result<Shard> parse_shard(std::string_view text);

/// Which documents to read, and where to write.
struct FileOptions {
  /// Empty: standard input. What is compressed (gzip, zstd, xz, bzip2) is recognized and decompressed.
  std::vector<std::filesystem::path> inputs;
  /// Empty: standard output. A name that ends in .gz, .zst, .xz or .bz2 gives a compressed file.
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> report;  ///< where to write the receipt; empty: nowhere
  /// Where to write exact counts of the input, readable by the owner only; no guarantee covers them. Empty:
  /// nowhere.
  std::optional<std::filesystem::path> statistics;
  std::optional<Format> format;  ///< empty: by the extension of the first input, otherwise text
  /// Encoding of the inputs: any name that iconv knows, in any case. "utf-16" and "utf-32" need a byte order
  /// mark; others say the order ("utf-16le"). Bytes that are not text in it are an error, except in UTF-8,
  /// where each becomes U+FFFD; an input whose beginning is hardly UTF-8 is an error all the same.
  std::string encoding = "utf-8";
  /// Encoding of the output; empty: that of the inputs. A byte order mark at the beginning of the first input
  /// is kept. A character that the encoding lacks is an error.
  std::string output_encoding;
  std::vector<std::string> fields;  ///< which fields of a record are documents; not for text
  std::string dataset;              ///< namespace of the ids; empty: each input's base name
  std::string id_field;             ///< empty: the record number is the id
  unsigned threads = 0;             ///< 0: one per processor
  Shard shard;
  std::optional<LedgerOptions> ledger;  ///< empty: spending is not recorded; otherwise key_file is required
  bool resume = false;                  ///< continue an interrupted run; requires key_file and output
  bool allow_empty = false;             ///< accept an input with records but without documents
  ProgressCallback progress;
};

/// Processes files. The output file appears only when it is complete; memory use does not depend on the size
/// of the input. Thread-safe except while the first language model is loaded (see language_models.hpp).
SOTTO_API Result<Receipt> privatize_files(const PrivatizeOptions& options, const FileOptions& files);
/// Same with an existing Privatizer. Thread-safe.
SOTTO_API Result<Receipt> privatize_files(const Privatizer& privatizer, const FileOptions& files);

}  // namespace sotto
