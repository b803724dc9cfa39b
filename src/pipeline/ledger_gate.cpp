#include "pipeline/ledger_gate.hpp"

#include "base/checked_value.hpp"

namespace sotto::pipeline {

Result<void> check_ledger_options(const PrivatizeOptions& options, const FileOptions& files, Format format) {
  if (!files.ledger) return {};
  SOTTO_TRY(check_chargeable(options));
  SOTTO_TRY(check_ledger_options(*files.ledger));
  const std::string& subject = files.ledger->subject_field;
  if (subject.empty())
    return fail_parameter("subject_field", "",
                          "missing; name the field of the records that says whose account is charged");
  if (format == Format::text)
    return fail_parameter(
        "subject_field", subject,
        base::format_message("'{}' needs {{format}} jsonl, json, csv or tsv; text has no fields", subject));
  return {};
}

Result<std::unique_ptr<LedgerGate>> LedgerGate::open(const LedgerOptions& options,
                                                     const RewriteContext& context) {
  SOTTO_ASSIGN(Charging charging, charging_of(context));
  SOTTO_ASSIGN(auto settlement, Settlement::open(options, charging.unit));
  return std::unique_ptr<LedgerGate>(new LedgerGate(std::move(charging), std::move(settlement)));
}

Result<void> LedgerGate::settle(const ReleaseLog& log, std::string_view dataset, text::OutputBuffer& out,
                                Counts& counts) {
  SOTTO_ASSIGN(std::vector<privacy::LedgerRequest> requests, requests_of(log, dataset));
  SOTTO_TRY(settlement_->settle(requests, charging_.unit));
  kept_.clear();
  std::size_t done = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    count(requests[i].settled, log.records[i].counts, counts);
    if (requests[i].settled == Settled::released) continue;
    kept_.append(out.view().substr(done, log.records[i].output_begin - done));
    done = log.records[i].output_end;
  }
  if (done == 0) return {};
  kept_.append(out.view().substr(done));
  std::swap(out, kept_);
  return {};
}

}  // namespace sotto::pipeline
