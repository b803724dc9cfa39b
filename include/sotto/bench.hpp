// Speed and memory use of mechanisms on this machine, following section 6 of the paper "1-Diffractor:
// Efficient and Utility-Preserving Text Obfuscation Leveraging Word-Level Metric Differential Privacy": 1,000
// random words, then a whole data set, extrapolated to one day; memory per word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct BenchOptions {
  std::vector<std::string> mechanisms;  ///< empty: all
  double epsilon = 1;
  /// Values to measure, by parameter: "name" (of every mechanism that has it) or "mechanism.name".
  std::map<std::string, std::vector<std::string>> grid;
  std::string model;                          ///< for all mechanisms; empty: each mechanism's default
  std::uint64_t words = 1000;                 ///< drawn without replacement; all words if the model has fewer
  std::optional<std::filesystem::path> data;  ///< a data set; empty: random words only
  std::optional<Format> format;               ///< of the data set; empty: by its extension
  std::vector<std::string> fields;
  std::optional<std::filesystem::path> plot;  ///< where to write a plot of the speeds, as SVG; empty: nowhere
  std::optional<std::uint64_t> seed;          ///< for the words and the noise
  MechanismResources resources;               ///< threads are for the data set; the words use one thread
  ProgressCallback progress;                  ///< receives the number of mechanisms finished and their total
};

struct BenchResult {
  std::string mechanism;
  ParameterValues parameters;
  std::string model;
  std::optional<Error> refusal;   ///< why there are no figures; empty: there are figures
  double setup_seconds = 0;       ///< opening the model and building the mechanism
  std::uint64_t setup_bytes = 0;  ///< growth of resident memory during set-up
  std::uint64_t words = 0;
  double first_seconds = 0;       ///< for the words, the first time
  double again_seconds = 0;       ///< for the same words again; mean over repetitions
  std::uint64_t words_bytes = 0;  ///< peak resident memory minus resident memory after set-up
  std::uint64_t data_tokens = 0;  ///< tokens privatized; 0: no data set
  double data_seconds = 0;        ///< from reading the file to discarding the output, without set-up

  SOTTO_API double words_a_day() const;        ///< from first_seconds
  SOTTO_API double words_again_a_day() const;  ///< from again_seconds
  SOTTO_API double data_a_day() const;         ///< 0 without a data set
  SOTTO_API double bytes_a_word() const;
  SOTTO_API std::string name() const;  ///< mechanism and given parameters
};

struct BenchReport {
  std::string processor;
  unsigned processors = 0;  ///< available to this process
  unsigned threads = 0;     ///< for the data set
  double epsilon = 0;
  std::uint64_t words = 0;
  std::string data;          ///< empty: none
  bool peak_memory = false;  ///< the peak could be read; otherwise: resident memory afterwards
  std::vector<BenchResult> results;
};

/// As JSON (docs/schemas/bench.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const BenchReport& report);

/// Measures one mechanism after another, each in a child process (fork), so that none inherits the memory of
/// another and a failure does not end the others. An unknown mechanism, parameter or file is an error; a
/// mechanism that cannot run is a refusal in its result. Not thread-safe: call it while no other thread is
/// running.
SOTTO_API Result<BenchReport> bench(const BenchOptions& options);

}  // namespace sotto
