#include "pipeline/settlement.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "base/hash.hpp"

namespace sotto::pipeline {

Result<void> check_ledger_options(const LedgerOptions& options) {
  if (!(options.limit >= 1e-9 && options.limit <= kLargestLimit))
    return base::not_allowed("limit", options.limit,
                             fmt::format("a number from 1e-09 to {:g}", kLargestLimit));
  if (!(options.wait_seconds >= 0 && options.wait_seconds <= kLongestLedgerWait))
    return base::not_allowed("wait_seconds", options.wait_seconds,
                             fmt::format("a number from 0 to {:g}", kLongestLedgerWait));
  return {};
}

Result<void> check_complete(const ReleaseLog& log) {
  if (log.is_complete()) return {};
  return fail_parameter("ledger", "", "a document to be charged has no output", Errc::bad_format);
}

Result<std::vector<privacy::LedgerRequest>> requests_of(const ReleaseLog& log, std::string_view dataset) {
  SOTTO_TRY(check_complete(log));
  std::vector<privacy::LedgerRequest> requests;
  requests.reserve(log.records.size());
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const LoggedRecord& record = log.records[i];
    requests.push_back(
        {record.subject, dataset, record.id, record.record, log.documents_of(i), log.names_of(i)});
  }
  return requests;
}

void count(Settled settled, const Counts& record, Counts& counts) {
  switch (settled) {
    case Settled::released:
      counts += record;
      return;
    case Settled::withheld:
      ++counts.withheld;
      return;
    case Settled::repeated:
      ++counts.repeated;
      return;
  }
}

Result<std::unique_ptr<Settlement>> Settlement::open(const LedgerOptions& options, std::string unit) {
  SOTTO_TRY(check_ledger_options(options));
  SOTTO_ASSIGN(auto store, privacy::LedgerStore::open(options.file, options.wait_seconds));
  return std::unique_ptr<Settlement>(new Settlement(options, std::move(unit), std::move(store)));
}

Result<void> Settlement::settle(std::span<privacy::LedgerRequest> requests, std::string_view unit) {
  if (requests.empty()) return {};
  if (!unit_.empty() && unit != unit_)
    return fail_parameter("ledger", "",
                          fmt::format("amounts in '{}' and in '{}' do not add up; each unit needs a session "
                                      "of its own",
                                      unit_, unit));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  SOTTO_TRY(store_->charge(requests,
                           {unit, privacy::limit_amount(options_.limit),
                            std::chrono::duration_cast<std::chrono::seconds>(now), options_.refuse_repeats}));
  unit_ = unit;
  return {};
}

std::string Settlement::fingerprint() const {
  return fmt::format("{} {} {}{}", base::to_hex(store_->id()), privacy::limit_amount(options_.limit),
                     options_.subject_field, options_.refuse_repeats ? " refuse_repeats" : "");
}

LedgerReceipt Settlement::receipt() const {
  return {.id = base::to_hex(store_->id()),
          .subject_field = options_.subject_field,
          .unit = unit_,
          .limit = options_.limit,
          .head = base::to_hex(store_->head()),
          .charged_documents = store_->totals().charged,
          .repeated_documents = store_->totals().repeated,
          .entries = store_->entries()};
}

}  // namespace sotto::pipeline
