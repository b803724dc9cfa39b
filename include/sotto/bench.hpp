// How fast mechanisms are and how much memory they need on this machine, by the protocol of section 6 of
// paper "1-Diffractor: Efficient and Utility-Preserving Text Obfuscation Leveraging Word-Level Metric
// Differential Privacy": 1,000 random words, then a whole data set, extrapolated to a day; memory a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct BenchOptions {
  std::vector<std::string> mechanisms;  ///< empty: all
  double epsilon = 1;
  /// Parameters by "name" (for every mechanism that has it) or "mechanism.name", with the values to measure.
  std::map<std::string, std::vector<std::string>> grid;
  std::string model;                          ///< for all of them; empty: each one's default
  std::uint64_t words = 1000;                 ///< drawn without replacement; all if the model has fewer
  std::optional<std::filesystem::path> data;  ///< a data set; empty: the words only
  std::optional<Format> format;               ///< of the data set; empty: by its extension
  std::vector<std::string> fields;
  std::optional<std::filesystem::path> plot;  ///< where a picture of the speeds goes, as SVG; empty: nowhere
  std::optional<std::uint64_t> seed;          ///< of the words and the noise
  MechanismResources resources;               ///< threads are those of the data set; the words have one
  ProgressCallback progress;                  ///< told the mechanisms that are done, and how many there are
};

struct BenchResult {
  std::string mechanism;
  ParameterValues parameters;
  std::string model;
  std::optional<Error> refusal;   ///< why there are no figures; none: there are
  double setup_seconds = 0;       ///< opening the model and building the mechanism
  std::uint64_t setup_bytes = 0;  ///< by which the resident memory grew meanwhile
  std::uint64_t words = 0;
  double first_seconds = 0;       ///< for the words, the first time
  double again_seconds = 0;       ///< for the same words when they have been seen; mean over repetitions
  std::uint64_t words_bytes = 0;  ///< by which the peak of resident memory exceeds what set-up left
  std::uint64_t data_tokens = 0;  ///< privatized; 0: there was no data set
  double data_seconds = 0;        ///< from file to nowhere, without set-up

  double words_a_day() const;        ///< from first_seconds
  double words_again_a_day() const;  ///< from again_seconds
  double data_a_day() const;         ///< 0 without a data set
  double bytes_a_word() const;
  std::string name() const;  ///< mechanism and given parameters
};

struct BenchReport {
  std::string processor;
  unsigned processors = 0;  ///< that this process may use
  unsigned threads = 0;     ///< for the data set
  double epsilon = 0;
  std::uint64_t words = 0;
  std::string data;          ///< empty: none
  bool peak_memory = false;  ///< whether the peak could be read; otherwise what was resident afterwards
  std::vector<BenchResult> results;
};

/// As JSON (docs/schemas/bench.schema.json), ending in a newline. Thread-safe.
std::string to_json(const BenchReport& report);

/// Measures one mechanism after the other, each in a child process (fork), so that none finds the memory of
/// another one and one that fails does not end the rest. Call it where no other thread runs. An unknown
/// mechanism, parameter or file is an error; a mechanism that cannot run is a refusal in its result.
Result<BenchReport> bench(const BenchOptions& options);

}  // namespace sotto
