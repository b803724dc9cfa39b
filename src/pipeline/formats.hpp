// Finds the documents inside a chunk of records, has them rewritten, and puts the records together again.
// Everything outside the named fields is copied byte for byte.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "pipeline/record_reader.hpp"
#include "pipeline/rewriter.hpp"
#include "pipeline/unique_ids.hpp"

namespace sotto {

/// What the documents of a record are.
struct RecordLayout {
  Format format = Format::text;
  std::vector<std::string> fields;
  std::string id_field;       ///< empty: the record number
  std::string subject_field;  ///< empty: there is no ledger
};

/// One chunk's work; the rewriter is started. `clear_fields` collects the names of the fields that were
/// copied.
struct ChunkJob {
  const Chunk& chunk;
  const RecordLayout& layout;
  const DocumentStreams& streams;
  std::string input_name;  ///< for messages
  Rewriter& rewriter;
  std::set<std::string>& clear_fields;
  std::uint64_t& records;  ///< counts those that are not blank
  IdLog* ids;              ///< lists the ids of the records; null: they may repeat
};

Result<void> rewrite_text(const ChunkJob& job);
Result<void> rewrite_jsonl(const ChunkJob& job);
Result<void> rewrite_delimited(const ChunkJob& job);

/// Calls the one for the layout's format.
Result<void> rewrite_chunk(const ChunkJob& job);

/// An error that names the input and the record (`record` from 0).
tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Error error);
tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Errc code, Message message);

}  // namespace sotto
