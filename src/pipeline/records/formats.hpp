// Finds the documents inside a chunk of records, has them rewritten, and reassembles the records. Everything
// outside the named fields is copied byte for byte.
#pragma once

#include <set>
#include <string>

#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "pipeline/records/record_layout.hpp"
#include "pipeline/records/record_reader.hpp"
#include "pipeline/records/unique_ids.hpp"
#include "pipeline/rewrite/rewriter.hpp"

namespace sotto::pipeline {

/// The work on one chunk; the rewriter has been started. `clear_fields` collects the copied fields' names.
struct ChunkJob {
  const Chunk& chunk;
  const RecordLayout& layout;
  const random::DocumentStreams& streams;
  std::string input_name;  ///< for messages
  bool is_last_input;      ///< so that what closes it also closes the output
  Rewriter& rewriter;
  std::set<std::string>& clear_fields;
  std::uint64_t& records;  ///< counts nonblank records
  IdLog* ids;              ///< lists the ids of the records; null if they may repeat
};

Result<void> rewrite_text(const ChunkJob& job);
Result<void> rewrite_json(const ChunkJob& job);
Result<void> rewrite_delimited(const ChunkJob& job);

/// Calls the function for the format of the chunk.
Result<void> rewrite_chunk(const ChunkJob& job);

/// A record of a chunk.
struct RecordPlace {
  std::uint64_t record = 0;  ///< its number from 0
  std::size_t offset = 0;    ///< where in the chunk's data the problem is
};

/// An error that names the input and the record, and the line if records may be longer than one.
tl::unexpected<Error> record_error(const ChunkJob& job, const RecordPlace& place, Error error);
tl::unexpected<Error> record_error(const ChunkJob& job, const RecordPlace& place, Errc code, Message message);

/// The elements of an array are separated by commas, but its first one has none before it. If others were
/// left out, or if several arrays become one, this inserts or removes the comma before the first element in
/// `out`, the records of a chunk. `has_elements` says whether elements precede them, and then whether
/// elements follow.
void join_array_elements(text::OutputBuffer& out, bool& has_elements);

}  // namespace sotto::pipeline
