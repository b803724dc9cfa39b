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

enum class Format {
  text,   ///< one document per line
  jsonl,  ///< one JSON object per line; a file that begins with [ is read as `json`
  csv,    ///< RFC 4180: a field in quotes may contain anything
  tsv,    ///< separated by tabs; quotes mean nothing
  json,   ///< an array of objects, or objects one after another, on any number of lines
};
inline constexpr std::array<std::string_view, 5> kFormatNames = {"text", "jsonl", "csv", "tsv", "json"};
/// Thread-safe.
SOTTO_API const char* to_string(Format format);

/// The inverse. Thread-safe.
SOTTO_API Result<Format> parse_format(std::string_view name);

/// What happens to a record without one of the named fields: a JSON object that lacks it, or a CSV or TSV
/// record with too few columns. A field that is null, or empty, is not missing.
enum class MissingField {
  error,  ///< the run fails
  skip,   ///< the record is left out of the output
  empty,  ///< the record is kept, as if the field held an empty text
};
inline constexpr std::array<std::string_view, 3> kMissingFieldNames = {"error", "skip", "empty"};
/// Thread-safe.
SOTTO_API const char* to_string(MissingField missing);

/// The inverse. Thread-safe.
SOTTO_API Result<MissingField> parse_missing(std::string_view name);

/// One character that is not a letter, a digit, a quote or a line end; a tab may be written "tab" or "\\t".
/// Thread-safe.
SOTTO_API Result<char> parse_delimiter(std::string_view text);

/// Shard `index` (from 1) of `count`. Its records are contiguous, so the concatenated outputs of all shards
/// equal the whole.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};

/// "i/N". Thread-safe.
SOTTO_API Result<Shard> parse_shard(std::string_view text);

/// As `report` or `statistics`: standard output, if the text goes to a file.
inline constexpr const char* kStandardOutput = "-";

/// Which documents to read, and where to write.
struct FileOptions {
  /// Empty: standard input. What is compressed (gzip, zstd, xz, bzip2) is recognized and decompressed.
  std::vector<std::filesystem::path> inputs;
  /// Empty: standard output. A name that ends in .gz, .zst, .xz or .bz2 gives a compressed file.
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> report;  ///< where to write the receipt, or "-"; empty: nowhere
  /// Where to write exact counts of the input, or "-"; a file is readable by the owner only. No guarantee
  /// covers them. Empty: nowhere.
  std::optional<std::filesystem::path> statistics;
  /// Empty: by the extensions of the inputs, which must agree; without one, text.
  std::optional<Format> format;
  /// Encoding of the inputs: any name that iconv knows, in any case. "utf-16" and "utf-32" need a byte order
  /// mark; others say the order ("utf-16le"). Bytes that are not text in it are an error, except in UTF-8,
  /// where each becomes U+FFFD; an input whose beginning is hardly UTF-8 is an error all the same.
  std::string encoding = "utf-8";
  /// Encoding of the output; empty: that of the inputs. A byte order mark at the beginning of the first input
  /// is kept. A character that the encoding lacks is an error.
  std::string output_encoding;
  /// Which fields of a record are documents; not for text. For CSV and TSV names of columns, without a header
  /// their numbers from 1. For JSON names of members or JSON Pointers (RFC 6901, "/user/bio"), where the step
  /// * is every element of an array; if the value is an array of strings, each is a document.
  std::vector<std::string> fields;
  std::optional<char> delimiter;  ///< of CSV; empty: comma, or ; tab | if only that gives the named fields
  bool no_header = false;         ///< CSV and TSV: the first record is data as well
  MissingField missing = MissingField::error;
  std::string dataset;   ///< namespace of the ids; empty: each input's base name
  std::string id_field;  ///< a field as above, but a single one; empty: the record number is the id
  unsigned threads = 0;  ///< 0: one per processor
  Shard shard;
  std::optional<LedgerOptions> ledger;  ///< empty: spending is not recorded; otherwise a key is required
  bool resume = false;                  ///< continue an interrupted run; requires a key and output
  bool allow_empty = false;             ///< accept an input with records but without documents
  ProgressCallback progress;
};

/// Processes files. The output file appears only when it is complete; memory use does not depend on the size
/// of the input. Thread-safe except while the first language model is loaded (see language_models.hpp).
SOTTO_API Result<Receipt> privatize_files(const PrivatizeOptions& options, const FileOptions& files);
/// Same with an existing Privatizer. Thread-safe.
SOTTO_API Result<Receipt> privatize_files(const Privatizer& privatizer, const FileOptions& files);

}  // namespace sotto
