// A sample of the documents in files, for measurements: nothing is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

namespace sotto::pipeline {

struct SampledTexts {
  std::vector<std::string> texts;  ///< valid UTF-8, in input order
  std::uint64_t documents = 0;     ///< number of documents they were drawn from
  bool whole = true;  ///< false: the input was longer than `most_bytes`; the rest was not looked at
};

struct SampleOptions {
  std::size_t documents = 0;     ///< how many to draw; all if there are fewer
  std::uint64_t most_bytes = 0;  ///< how much of the input to look at, rounded up to whole chunks
  std::uint64_t seed = 0;        ///< decides which documents are drawn
};

/// Documents that are not blank, drawn uniformly without replacement. Reads inputs, format and fields of
/// `files` as privatize_files does; ignores where it writes, ledger and resume.
Result<SampledTexts> sample_documents(const FileOptions& files, const SampleOptions& options);

}  // namespace sotto::pipeline
