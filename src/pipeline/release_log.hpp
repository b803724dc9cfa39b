// What a ledger must know of the records of a chunk before they may be released.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sotto/receipt.hpp>

#include "privacy/ledger_store.hpp"
#include "privacy/nano_epsilon.hpp"

namespace sotto {

struct LoggedRecord {
  std::string subject;
  std::optional<std::string> id;
  std::uint64_t record = 0;
  std::size_t output_begin = 0;  ///< its bytes in the chunk's output
  std::size_t output_end = 0;
  std::size_t first_document = 0;  ///< its documents end where the next record's begin
  Counts counts;
};

struct ReleaseLog {
  explicit ReleaseLog(const Decimal& price) : epsilon(price) {}

  void clear() {
    records.clear();
    documents.clear();
  }

  Decimal epsilon;  ///< of a token
  std::vector<LoggedRecord> records;
  std::vector<LedgerDocument> documents;  ///< those that cost something
};

}  // namespace sotto
