// sotto.Privatizer, below its Python class: columns in, columns out.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include <sotto/privatizer.hpp>

#include "arrow_writer.hpp"
#include "column_rewriter.hpp"
#include "interruptible.hpp"
#include "settlement.hpp"
#include "text_column.hpp"

namespace sotto::python {

/// What names the texts of a column. Without ids, the texts are numbered as long as the Privatizer lives.
struct ColumnNames {
  std::unique_ptr<TextColumn> ids;
  std::unique_ptr<TextColumn> subjects;
};

/// Safe to use from several threads.
class PrivatizerBinding {
 public:
  /// `options` and `ledger` (empty: none) are JSON objects, see sotto/options_json.hpp.
  PrivatizerBinding(const std::string& options, std::optional<nanobind::bytes> key, std::string dataset,
                    std::string field, unsigned threads, const std::string& ledger);

  nanobind::str privatize_text(const nanobind::str& text, std::optional<std::string> id,
                               std::optional<std::string> subject);
  TextList privatize_list(nanobind::handle texts, nanobind::handle ids, nanobind::handle subjects,
                          nanobind::handle progress);
  ArrowTextsResult privatize_arrow(nanobind::handle texts, nanobind::handle ids, nanobind::handle subjects,
                                   nanobind::handle progress);

  /// An Arrow column, and what it adds to a receipt as counts_bytes() writes it, for whoever adds up the
  /// receipt of a run in many processes.
  nanobind::typed<nanobind::tuple, ArrowTextsResult, nanobind::bytes> privatize_counted(
      nanobind::handle texts, nanobind::handle ids);

  /// For a ledger that is elsewhere; lists and Arrow columns alike.
  UnsettledColumn rewrite(nanobind::handle texts, nanobind::handle ids, nanobind::handle subjects,
                          nanobind::handle progress);
  /// Adds what was released elsewhere to the receipt, as counts_bytes() wrote it, and what was withheld.
  void add_released(const nanobind::bytes& counts, std::uint64_t withheld);

  /// `ledger`: what an open ledger elsewhere says about itself (LedgerBinding::receipt); None: this one's.
  std::string receipt_json(nanobind::handle ledger) const;
  std::string statistics_json() const;

 private:
  Receipt receipt() const;
  ColumnJob job(const TextColumn& texts, const ColumnNames& names) const;
  ColumnNames read_column_names(const TextColumn& texts, nanobind::handle ids,
                                nanobind::handle subjects) const;
  TextChunks rewrite_and_charge(const TextColumn& texts, const ColumnNames& names, TextLayout layout,
                                const std::vector<std::size_t>& chunk_lengths, nanobind::handle progress,
                                Counts& counts);
  void open_ledger(const LedgerOptions& options);
  void add(const Counts& counts);
  bool is_short(std::string_view text) const;

  std::string dataset_;
  std::string field_;
  unsigned threads_;
  bool has_language_model_ = false;
  std::shared_ptr<std::atomic<int>> stopping_;  // calls; while there are any, the language model stops
  std::shared_ptr<const Privatizer> privatizer_;
  std::unique_ptr<LedgerSession> ledger_;
  std::atomic<std::uint64_t> next_record_ = 0;
  mutable std::mutex mutex_;  // for counts_
  Counts counts_;
};

void define_privatizer(nanobind::module_& module);

}  // namespace sotto::python
