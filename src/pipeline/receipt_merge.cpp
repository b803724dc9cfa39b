#include <optional>
#include <set>

#include <fmt/format.h>

#include <sotto/receipt_merge.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/message.hpp"
#include "pipeline/receipt_facts.hpp"
#include "pipeline/receipt_file.hpp"
#include "pipeline/whole_receipt.hpp"

namespace sotto {
using namespace pipeline;
namespace {

/// What receipts of one job share: the receipt without whatever follows from counts, or from the ledger.
nlohmann::json shared_part(const Receipt& receipt) {
  Receipt shared = receipt;
  shared.counts = {};
  shared.clear_fields.clear();
  if (shared.ledger) {
    shared.ledger->head.clear();
    shared.ledger->other_heads.clear();
  }
  if (shared.budget) {  // each share has an ε of its own
    shared.epsilon = 0;
    shared.guarantee.epsilon = shared.guarantee.additive = 0;
    shared.guarantee.statement.clear();
    shared.guarantee.unit.metric.clear();
  }
  nlohmann::json json = base::parse_json(to_json(shared));
  json.erase("counts");
  return json;
}

/// Adds up receipts one by one.
class ReceiptSum {
 public:
  Result<void> add(const std::string& name, std::string_view json) {
    auto read = read_whole_receipt(json);
    if (!read) return base::fail_at(name, std::move(read.error()));
    nlohmann::json shared = shared_part(*read);
    if (!sum_) {
      sum_ = std::move(*read);
      first_name_ = name;
      shared_ = std::move(shared);
      return {};
    }
    if (const std::string difference = difference_between(shared_, shared); !difference.empty())
      return fail(Errc::bad_format,
                  fmt::format("{} and {} are not about one job: {}", first_name_, name, difference));
    add_guarantee(*read);
    add_ledger(*read);
    sum_->counts += read->counts;
    sum_->clear_fields.merge(read->clear_fields);
    return check_counts();
  }

  std::string json() const { return to_json(*sum_); }

 private:
  /// With a budget, the guarantee is that of the largest share, in the unit of the smallest.
  void add_guarantee(const Receipt& other) {
    const Counts& counts = sum_->counts;
    // The longest text has the most digits of ρ.
    if (other.counts.largest_document > counts.largest_document) sum_->guarantee.rho = other.guarantee.rho;
    if (!sum_->budget) return;
    PrivacyUnit unit = sum_->guarantee.unit;
    if (other.counts.smallest_share > 0 &&
        (counts.smallest_share == 0 || other.counts.smallest_share < counts.smallest_share))
      unit = other.guarantee.unit;
    if (other.counts.largest_share > counts.largest_share) {
      sum_->epsilon = other.epsilon;
      sum_->guarantee = other.guarantee;
    }
    sum_->guarantee.unit = std::move(unit);
  }

  /// Each head stays, since each pins the chain up to it.
  void add_ledger(const Receipt& other) {
    if (!sum_->ledger) return;
    std::vector<std::string> heads = other.ledger->other_heads;
    heads.push_back(other.ledger->head);
    std::vector<std::string>& others = sum_->ledger->other_heads;
    for (std::string& head : heads) {
      if (head == sum_->ledger->head) continue;
      std::swap(head, sum_->ledger->head);  // the most recent one is the head
      std::erase(others, sum_->ledger->head);
      others.push_back(std::move(head));
    }
  }

  Result<void> check_counts() const {
    for (const ShownCount& shown : shown_counts())
      if (sum_->counts.*shown.member > kLargestCount)
        return fail(Errc::limit,
                    fmt::format("the sum of '{}' is more than a receipt can state", member_name(shown.path)));
    return {};
  }

  std::optional<Receipt> sum_;
  std::string first_name_;
  nlohmann::json shared_;
};

Result<void> none_to_merge() {
  return fail(Errc::invalid_argument, "there are no receipts to merge; give at least one");
}

}  // namespace

Result<std::string> merge_receipts(std::span<const std::string> receipts) {
  if (receipts.empty()) SOTTO_TRY(none_to_merge());
  ReceiptSum sum;
  for (std::size_t i = 0; i < receipts.size(); ++i)
    SOTTO_TRY(sum.add(fmt::format("receipt {}", i + 1), receipts[i]));
  return sum.json();
}

Result<std::string> merge_receipt_files(std::span<const std::filesystem::path> receipts) {
  if (receipts.empty()) SOTTO_TRY(none_to_merge());
  ReceiptSum sum;
  std::set<std::filesystem::path> seen;
  for (const std::filesystem::path& file : receipts) {
    SOTTO_ASSIGN(const std::string json, read_receipt_file(file));
    std::error_code ignored;
    if (!seen.insert(std::filesystem::canonical(file, ignored)).second)
      return fail(Errc::invalid_argument,
                  fmt::format("{} is given twice; its documents would be counted twice", file.string()));
    SOTTO_TRY(sum.add(file.string(), json));
  }
  return sum.json();
}

Result<void> write_merged_receipt(std::string_view merged, std::span<const std::filesystem::path> receipts,
                                  const std::filesystem::path& output) {
  for (const std::filesystem::path& receipt : receipts) SOTTO_TRY(base::check_output(output, receipt));
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(output));
  SOTTO_TRY(file.write(merged));
  return file.commit();
}

}  // namespace sotto
