// A column through a Privatizer, a slice of rows at a time, so that memory holds little besides input and
// output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sotto/privatizer.hpp>

#include "arrow_writer.hpp"
#include "interruptible.hpp"
#include "text_column.hpp"

namespace sotto::python {

/// What to rewrite; the caller keeps all of it alive. Rows without a text stay without one.
struct ColumnJob {
  const Privatizer& privatizer;
  LedgerSession* ledger = nullptr;  ///< null: nothing is charged
  std::string_view dataset;
  std::string_view field;
  unsigned threads = 0;
  const TextColumn& texts;
  const TextColumn* ids = nullptr;       ///< null: rows are numbered from first_record
  const TextColumn* subjects = nullptr;  ///< for a ledger
  std::uint64_t first_record = 0;
  TextLayout layout = TextLayout::large_utf8;
  std::vector<std::size_t> chunk_lengths;  ///< their sum is the number of rows
};

/// The texts of the answer; a record that the ledger withholds has none. Adds to `counts` what was done, also
/// on failure what was charged. Needs no GIL.
Result<TextChunks> rewrite_column(const ColumnJob& job, const std::shared_ptr<CallState>& state,
                                  Counts& counts);

/// The rows of a column that have a text, rewritten but not settled.
struct UnsettledRows {
  std::vector<UnsettledRecord> records;
  std::vector<const UnsettledRecord*> by_row;  ///< null: the row has no text
};

/// Same, for a ledger that is elsewhere: the job has ids and subjects, but no ledger. Needs no GIL.
Result<UnsettledRows> rewrite_unsettled(const ColumnJob& job, const std::shared_ptr<CallState>& state);

}  // namespace sotto::python
