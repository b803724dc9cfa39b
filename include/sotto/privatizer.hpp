// Texts in memory: for bindings, servers and other programs that have no files. Batches go through the same
// path as files do, at the same speed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/ledger.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Names a document; part of what its noise is a function of. With a key file, equal texts of one name have
/// equal outputs (see PrivatizeOptions::unique_ids).
struct DocumentName {
  std::string_view dataset;
  std::string_view id;
  std::string_view field;
};

/// A text of a batch.
struct Document {
  DocumentName name;
  std::string_view text;
};

/// One of the texts of a record.
struct FieldText {
  std::string_view field;
  std::string_view text;
};

/// Texts that are released together, or not at all, and charged to one subject.
struct Record {
  std::string_view dataset;
  std::string_view id;
  std::string_view subject;
  std::span<const FieldText> fields;
};

/// What came out for a record.
struct ReleasedRecord {
  bool released = false;           ///< false: the subject's limit does not allow it, and there are no texts
  std::vector<std::string> texts;  ///< in the order of its fields
};

/// How a batch is worked on; nothing here changes the output.
struct BatchOptions {
  unsigned threads = 0;            ///< 0: one for each processor
  ProgressCallback progress = {};  ///< told the bytes done, and of how many; false stops the batch
};

/// An open ledger that a Privatizer charges. Safe to use from several threads, and by several processes at a
/// time.
class LedgerSession {
 public:
  ~LedgerSession();

  /// What was charged so far.
  LedgerReceipt receipt() const;

  struct Impl;

 private:
  friend class Privatizer;
  explicit LedgerSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Rewrites texts. Everything is opened once; safe to use from several threads.
class Privatizer {
 public:
  static Result<std::unique_ptr<Privatizer>> make(const PrivatizeOptions& options);
  ~Privatizer();

  /// The rewritten text. Adds to `counts` what was done.
  Result<std::string> privatize(const DocumentName& name, std::string_view text, Counts& counts) const;

  /// A batch: outputs[i] becomes the rewritten documents[i]; the spans have equal lengths. When it fails, the
  /// error names the place of the document in the batch, all outputs are empty and nothing is counted.
  Result<void> privatize(std::span<const Document> documents, std::span<std::string> outputs, Counts& counts,
                         const BatchOptions& batch = {}) const;

  /// Opens the ledger that records are charged to; needs a key file. `subject_field` is for the receipt.
  Result<std::unique_ptr<LedgerSession>> open_ledger(const LedgerOptions& options) const;

  /// Records, each charged before it is released. When it fails, records that were charged by then have their
  /// outputs and are counted; what is not released was not charged.
  Result<void> privatize(std::span<const Record> records, LedgerSession& ledger,
                         std::span<ReleasedRecord> outputs, Counts& counts,
                         const BatchOptions& batch = {}) const;

  /// The receipt of what was counted.
  Receipt receipt(const Counts& counts = {}) const;

  struct Impl;

 private:
  friend struct PrivatizerAccess;  // for the library itself
  explicit Privatizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto
