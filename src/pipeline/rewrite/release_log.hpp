// What a ledger must know about the records of a chunk before they may be released.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/receipt.hpp>

#include "privacy/ledger_store.hpp"
#include "privacy/nano_epsilon.hpp"
#include "random/output_mac.hpp"

namespace sotto::pipeline {

struct LoggedRecord {
  std::string subject;
  std::optional<std::string> id;
  std::uint64_t record = 0;
  std::size_t output_begin = 0;  ///< its bytes in the chunk's output
  std::size_t output_end = 0;
  std::size_t first_document = 0;  ///< its documents end where those of the next record begin
  std::size_t first_name = 0;      ///< the same for its names
  Counts counts;
};

struct ReleaseLog {
  explicit ReleaseLog(const privacy::Decimal& price) : epsilon(price) {}

  void clear();

  /// Lists the name of a document of the last record, whether the document costs something or not.
  void list_name(const privacy::DocumentNameTag& name) { names.push_back(name); }

  /// Lists a document of the last record. Its output is set later.
  void list(const random::Key& stream_key, NanoEpsilon amount);

  /// Sets the text to be released for the first listed document without output. It is the text before a
  /// format escapes or quotes it: that step is a function of the text alone, so it reveals nothing more, and
  /// a repeat in another format is still a repeat.
  void set_output(std::string_view text);

  /// The listed documents of a record.
  std::span<const privacy::LedgerDocument> documents_of(std::size_t record) const;
  std::span<const privacy::DocumentNameTag> names_of(std::size_t record) const;

  /// Whether every listed document has its output.
  bool is_complete() const { return outputs_ == documents.size(); }

  privacy::Decimal epsilon;  ///< per token
  std::vector<LoggedRecord> records;
  std::vector<privacy::LedgerDocument> documents;  ///< those that cost something
  std::vector<privacy::DocumentNameTag> names;     ///< of all documents

 private:
  std::vector<random::Key> output_keys_;  // one per document
  std::size_t outputs_ = 0;               // documents with output
};

}  // namespace sotto::pipeline
