// Receipts as JSON on one line.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <sotto/privatizer.hpp>

namespace sotto::server {

/// Writes the receipts of a Privatizer. Most requests are short and many have the same counts, so receipts
/// without a ledger are kept. Safe to use from several threads.
class ReceiptText {
 public:
  explicit ReceiptText(const Privatizer& privatizer) : privatizer_(privatizer) {}

  /// Without a line end.
  std::shared_ptr<const std::string> of(const Counts& counts, const std::optional<LedgerReceipt>& ledger);

 private:
  const Privatizer& privatizer_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const std::string>> kept_;  // by counts
};

}  // namespace sotto::server
