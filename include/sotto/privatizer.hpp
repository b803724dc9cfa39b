// Texts in memory: for bindings, servers and other programs without files. Batches take the same path as
// files, at the same speed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/ledger.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/progress.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>
#include <sotto/settlement.hpp>

namespace sotto {

/// Names a document. Its noise is a function of this name, among other things. With a key, equal texts
/// of the same name have equal outputs (see PrivatizeOptions::unique_ids).
struct DocumentName {
  std::string_view dataset;
  std::string_view id;
  std::string_view field;
  /// Instead of an id: the number of the record, from 0, as in files without ids. It must not repeat;
  /// PrivatizeOptions::unique_ids does not check it.
  std::optional<std::uint64_t> record = std::nullopt;
};

/// A text in a batch.
struct Document {
  DocumentName name;
  std::string_view text;
};

/// One of the texts of a record.
struct FieldText {
  std::string_view field;
  std::string_view text;
};

/// Texts that are released together or not at all, and charged to one subject.
struct Record {
  std::string_view dataset;
  std::string_view id;
  std::string_view subject;
  std::span<const FieldText> fields;
};

/// The outcome for a record.
struct ReleasedRecord {
  Settled settled = Settled::withheld;
  std::vector<std::string> texts;  ///< in the order of its fields; empty unless it is released

  bool is_released() const { return settled == Settled::released; }
};

/// How a batch is processed; nothing here changes the output.
struct BatchOptions {
  unsigned threads = 0;            ///< 0: one per processor
  ProgressCallback progress = {};  ///< receives the bytes done and the total; false stops the batch
  /// How errors call the document or record at a place of the batch; empty: by its position, from 1.
  std::function<std::string(std::size_t place)> name_of = {};
  /// Asked before each document or record, and while another process holds the ledger, from any of the
  /// threads; false stops the batch.
  std::function<bool()> go_on = {};
};

/// A rewritten record that no ledger has allowed yet. Its texts must not leave the process that made them
/// before LedgerSession::settle() has released its claim.
struct UnsettledRecord {
  std::vector<std::string> texts;  ///< in the order of its fields
  LedgerClaim claim;               ///< what to hand to the ledger
  Counts counts;                   ///< of this record; add them up for records that are released
};

/// Rewrites texts. Everything is opened once. Safe to use from several threads, each with its own `counts`,
/// and in a process forked while no call runs: without key and seed, parent and child draw noise of their
/// own.
class Privatizer {
 public:
  /// Opens everything that `options` name. Thread-safe except while the first language model is loaded (see
  /// language_models.hpp).
  SOTTO_API static Result<std::unique_ptr<Privatizer>> make(const PrivatizeOptions& options);
  SOTTO_API ~Privatizer();

  /// The rewritten text. Adds what was done to `counts`.
  SOTTO_API Result<std::string> privatize(const DocumentName& name, std::string_view text,
                                          Counts& counts) const;

  /// A batch: outputs[i] becomes the rewritten documents[i]; the spans have equal lengths. On failure, the
  /// error names the position of the offending document in the batch, nothing is counted, and all outputs are
  /// empty (unchanged if a name repeats).
  SOTTO_API Result<void> privatize(std::span<const Document> documents, std::span<std::string> outputs,
                                   Counts& counts, const BatchOptions& batch = {}) const;

  /// Same, counted apart: counts[i] becomes that of documents[i]. The spans have equal lengths.
  SOTTO_API Result<void> privatize(std::span<const Document> documents, std::span<std::string> outputs,
                                   std::span<Counts> counts, const BatchOptions& batch = {}) const;

  /// Opens the ledger to which records are charged, in the unit of this Privatizer; requires a key.
  /// `subject_field` is for the receipt.
  SOTTO_API Result<std::unique_ptr<LedgerSession>> open_ledger(const LedgerOptions& options) const;

  /// Records, each charged before it is released. On failure, records charged by then have their outputs and
  /// are counted; records that are not released were not charged.
  SOTTO_API Result<void> privatize(std::span<const Record> records, LedgerSession& ledger,
                                   std::span<ReleasedRecord> outputs, Counts& counts,
                                   const BatchOptions& batch = {}) const;

  /// The first half of the same: records are rewritten here, and charged where the ledger is, which needs
  /// neither key nor model (LedgerSession::settle). outputs[i] is for records[i]; the spans have equal
  /// lengths. Requires a key file: a task that is repeated after a failure makes the same claims again, which
  /// cost nothing. On failure all outputs are empty.
  SOTTO_API Result<void> rewrite(std::span<const Record> records, std::span<UnsettledRecord> outputs,
                                 const BatchOptions& batch = {}) const;

  /// The receipt for these counts.
  SOTTO_API Receipt receipt(const Counts& counts = {}) const;

  struct Impl;

 private:
  friend struct PrivatizerAccess;  // for the library itself
  explicit Privatizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto
