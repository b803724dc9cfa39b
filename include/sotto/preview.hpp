// A look at what a run would do, without one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// A document before and after. Confidential, like the input.
struct PreviewedDocument {
  std::string input;         ///< the name of its file
  std::uint64_t record = 0;  ///< counted from 1
  std::string field;         ///< empty: the record is the document
  std::string before;
  std::string after;
};

struct Preview {
  std::vector<PreviewedDocument> documents;
  Receipt receipt;  ///< of these documents
};

/// Rewrites the first `most` documents of the files. The noise comes from a fresh key that is then forgotten,
/// so it says nothing about the noise of a run with the same options: a key file or seed is neither read nor
/// used. Nothing is written, no ledger is opened or charged. Thread-safe except while the first language
/// model is loaded (see language_models.hpp).
SOTTO_API Result<Preview> preview_files(const PrivatizeOptions& options, const FileOptions& files,
                                        std::uint64_t most);

}  // namespace sotto
