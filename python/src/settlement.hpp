// Rewriting where the data is, settling where the ledger is: a column that nobody has released yet, and an
// open ledger without a Privatizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <sotto/settlement.hpp>

#include "arrow_writer.hpp"
#include "column_rewriter.hpp"

namespace sotto::python {

using CountsList = nanobind::typed<nanobind::list, std::optional<nanobind::bytes>>;

/// A rewritten column whose texts no ledger has allowed yet. It gives them away row by row only.
class UnsettledColumn {
 public:
  UnsettledColumn(UnsettledRows rows, TextLayout layout, std::vector<std::size_t> chunk_lengths,
                  std::string name)
      : rows_(std::move(rows)),
        layout_(layout),
        chunk_lengths_(std::move(chunk_lengths)),
        name_(std::move(name)) {}

  /// The claim of each row, as the JSON of an array of one; None for a row without a text.
  TextList claims() const;
  /// What each row adds to a receipt if it is released, as bytes for add_counts; None for a row without a
  /// text.
  CountsList counts() const;
  /// The texts of the rows that are released, null in the others.
  ArrowTextsResult release_arrow(const std::vector<bool>& released) const;
  TextList release_list(const std::vector<bool>& released) const;

 private:
  TextChunks release(const std::vector<bool>& released, TextLayout layout,
                     const std::vector<std::size_t>& chunk_lengths) const;

  UnsettledRows rows_;
  TextLayout layout_;
  std::vector<std::size_t> chunk_lengths_;
  std::string name_;
};

/// Counts as bytes, which only a program of the same build understands.
nanobind::bytes counts_bytes(const Counts& counts);
/// ValueError unless counts_bytes() of this build made them.
Counts counts_from_bytes(const nanobind::bytes& bytes);

/// Reads back what sotto.Ledger.receipt() says in another process.
LedgerReceipt ledger_receipt(const nanobind::dict& members);

void define_settlement(nanobind::module_& module);

}  // namespace sotto::python
