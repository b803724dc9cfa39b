// The options that say how text is found in files, for every command that reads records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <sotto/privatize.hpp>

namespace sotto::cli {

struct RecordOptions {
  std::string format, encoding, delimiter, missing;
  std::vector<std::string> fields;
  bool no_header = false;

  void add_options(CLI::App& command);
  /// Sets what these options decide.
  Result<void> apply_to(FileOptions& files) const;
};

/// The options that make `sotto privatize` find the same text, each after a blank.
std::string record_arguments(const FileOptions& files);

/// A warning that `sequences` ill-formed ones of the text become U+FFFD; `likely` is the encoding that the
/// inputs seem to have, or empty. Nothing of the text.
std::string encoding_warning(std::uint64_t sequences, const std::string& likely);

}  // namespace sotto::cli
