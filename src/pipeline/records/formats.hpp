// Finds the documents inside a chunk of records, has them rewritten, and reassembles the records. Everything
// outside the named fields is copied byte for byte.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "pipeline/records/record_reader.hpp"
#include "pipeline/records/unique_ids.hpp"
#include "pipeline/rewrite/rewriter.hpp"

namespace sotto::pipeline {

/// Which parts of a record are its documents.
struct RecordLayout {
  Format format = Format::text;
  std::vector<std::string> fields;
  std::string id_field;       ///< empty: the record number
  std::string subject_field;  ///< empty: no ledger
};

/// The work on one chunk; the rewriter has been started. `clear_fields` collects the copied fields' names.
struct ChunkJob {
  const Chunk& chunk;
  const RecordLayout& layout;
  const random::DocumentStreams& streams;
  std::string input_name;  ///< for messages
  Rewriter& rewriter;
  std::set<std::string>& clear_fields;
  std::uint64_t& records;  ///< counts nonblank records
  IdLog* ids;              ///< lists the ids of the records; null if they may repeat
};

Result<void> rewrite_text(const ChunkJob& job);
Result<void> rewrite_jsonl(const ChunkJob& job);
Result<void> rewrite_delimited(const ChunkJob& job);

/// Calls the function for the layout's format.
Result<void> rewrite_chunk(const ChunkJob& job);

/// An error that names the input and the record (`record` counts from 0).
tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Error error);
tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Errc code, Message message);

}  // namespace sotto::pipeline
