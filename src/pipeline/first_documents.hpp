// The first documents of files, as a run would find them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>

namespace sotto::pipeline {

struct FoundDocument {
  std::string input;         ///< its name
  std::uint64_t record = 0;  ///< counted from 0
  std::string field;         ///< empty: the record is the document
  std::string text;
};

/// At most `most` documents, in input order; reads no further than it must and writes nothing.
Result<std::vector<FoundDocument>> first_documents(const Privatizer& privatizer, const FileOptions& files,
                                                   std::size_t most);

}  // namespace sotto::pipeline
