#include "service/receipt_text.hpp"

#include <array>

#include "service/json_writer.hpp"

namespace sotto::server {
namespace {

constexpr std::size_t kMostKept = 4096;

/// All that a receipt says of them.
std::string key_of(const Counts& counts) {
  const std::array<std::uint64_t, 16> whole = {
      counts.documents,       counts.words,     counts.numbers,          counts.punctuation,
      counts.privatized,      counts.withheld,  counts.repeated,         counts.randomized_numbers,
      counts.clear_stopwords, counts.clear_oov, counts.clear_numbers,    counts.clear_punctuation,
      counts.dropped,         counts.skipped,   counts.largest_document, counts.largest_record};
  const std::array<double, 5> shares = {counts.epsilon_sum, counts.largest_epsilon, counts.smallest_share,
                                        counts.largest_share, counts.largest_record_epsilon};
  std::string key(reinterpret_cast<const char*>(whole.data()), sizeof whole);
  return key.append(reinterpret_cast<const char*>(shares.data()), sizeof shares);
}

}  // namespace

std::shared_ptr<const std::string> ReceiptText::of(const Counts& counts,
                                                   const std::optional<LedgerReceipt>& ledger) {
  const std::string key = ledger ? std::string() : key_of(counts);
  if (!ledger) {
    const std::lock_guard lock(mutex_);
    if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
  }
  Receipt receipt = privatizer_.receipt(counts);
  receipt.ledger = ledger;
  auto text = std::make_shared<const std::string>(on_one_line(to_json(receipt)));
  if (ledger) return text;
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kMostKept) kept_.clear();
  kept_.emplace(key, text);
  return text;
}

}  // namespace sotto::server
