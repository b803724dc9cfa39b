// Whether input files are in the encoding that they are read in.
#pragma once

#include <cstdint>
#include <string>

#include <sotto/api.hpp>
#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct IllFormedInput {
  std::uint64_t sequences = 0;  ///< ill-formed ones at the beginning of the inputs; each becomes U+FFFD
  std::string likely_encoding;  ///< a value of FileOptions::encoding; empty if unknown
};

/// Looks at the first 256 KiB of each input that is a regular file. privatize_files refuses an input with
/// many ill-formed sequences and replaces a few: this says how many, and what the encoding might be instead.
/// Finds nothing if FileOptions::encoding is not UTF-8. Thread-safe.
SOTTO_API Result<IllFormedInput> find_ill_formed_input(const FileOptions& files);

}  // namespace sotto
