#include "pipeline/ledger_gate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/checked_value.hpp"

namespace sotto::pipeline {
namespace {

/// Why the ε of a guarantee does not cover an account's whole spending, or null.
const char* what_cannot_be_accounted(const Guarantee& guarantee) {
  if (guarantee.kind == GuaranteeKind::none) return "no differential privacy";
  if (guarantee.scope == GuaranteeScope::sensitive_outputs)
    return "privacy for sensitive outputs only, and reveals other words";
  for (const SharedTrait trait : guarantee.adjacency)
    if (trait == SharedTrait::kept_words || trait == SharedTrait::dropped_words)
      return "nothing for the words that the policy keeps or drops";
  return nullptr;
}

/// Guarantees may be added up only if this is equal: it names what ε multiplies and between which inputs. It
/// omits other traits that texts must share (numbers, letter case): amounts of several runs add up between
/// texts that share all of them, and a unit for each would mean a limit for each. It also omits what merely
/// shapes the noise, or a subject would get a new limit with every setting.
Result<std::string> account_unit(const RewriteContext& context, const Guarantee& guarantee) {
  if (const char* promised = what_cannot_be_accounted(guarantee))
    return fail_parameter(
        "ledger", "",
        fmt::format("'{}' with these settings promises {}; there is no epsilon to account for",
                    context.options.mechanism.name, promised));
  std::string unit = "pure epsilon";
  if (!guarantee.unit.is_pure())
    unit = fmt::format("epsilon times {} of model {}", guarantee.unit.metric, guarantee.unit.model);
  if (const auto lists = context.parameters.find("lists"); lists != context.parameters.end())
    unit += fmt::format(", lists {}", lists->second);  // they determine the index distance
  if (guarantee.scope == GuaranteeScope::group) {
    unit += fmt::format(" inside a group of {}", context.options.mechanism.name);
    for (const auto& [name, value] : context.parameters) unit += fmt::format(" {}={}", name, value);
    unit += fmt::format(" with model {}", context.mechanism->model_digest());
  }
  return unit;
}

/// With a budget per document, amounts at several ε must have the same unit to be added up.
Result<void> check_one_unit(const RewriteContext& context) {
  SOTTO_ASSIGN(const bool has_one_unit, context.mechanism->has_one_unit());
  if (has_one_unit) return {};
  return fail_parameter(
      "ledger", "",
      base::format_message(
          "the distance that the epsilon of {} multiplies depends on epsilon, so documents of "
          "different lengths do not add up; give a fixed {{parameters.gamma}}",
          context.options.mechanism.name));
}

}  // namespace

Result<void> check_ledger_options(const PrivatizeOptions& options, const LedgerOptions& ledger) {
  if (options.seed)
    return fail_parameter(
        "ledger", "",
        base::format_message("cannot be given together with {{seed}}; seeded output is not private"));
  if (!options.keyed())
    return fail_parameter(
        "ledger", "",
        base::format_message(
            "needs {{key_file}}, so that a repeated document is known and spends nothing again"));
  if (!(ledger.limit >= 1e-9 && ledger.limit <= kLargestLimit))
    return base::not_allowed("limit", ledger.limit,
                             fmt::format("a number from 1e-09 to {:g}", kLargestLimit));
  if (!(ledger.wait_seconds >= 0 && ledger.wait_seconds <= kLongestLedgerWait))
    return base::not_allowed("wait_seconds", ledger.wait_seconds,
                             fmt::format("a number from 0 to {:g}", kLongestLedgerWait));
  return {};
}

Result<void> check_ledger_options(const PrivatizeOptions& options, const FileOptions& files, Format format) {
  if (!files.ledger) return {};
  SOTTO_TRY(check_ledger_options(options, *files.ledger));
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
  const Guarantee guarantee = context.mechanism->guarantee({});
  SOTTO_ASSIGN(std::string unit, account_unit(context, guarantee));
  if (!(guarantee.epsilon > 0 && std::isfinite(guarantee.epsilon)))
    return fail_parameter("ledger", "",
                          fmt::format("an epsilon of {} cannot be accounted for", guarantee.epsilon));
  SOTTO_TRY(check_one_unit(context));
  SOTTO_ASSIGN(auto store, privacy::LedgerStore::open(options.file, options.wait_seconds));
  return std::unique_ptr<LedgerGate>(
      new LedgerGate(options, privacy::Decimal(guarantee.epsilon), std::move(unit), std::move(store)));
}

Result<void> LedgerGate::settle(const ReleaseLog& log, std::string_view dataset, text::OutputBuffer& out,
                                Counts& counts) {
  if (!log.is_complete())
    return fail_parameter("ledger", "", "a document to be charged has no output", Errc::bad_format);
  requests_.clear();
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const LoggedRecord& record = log.records[i];
    const std::size_t end =
        i + 1 < log.records.size() ? log.records[i + 1].first_document : log.documents.size();
    requests_.push_back(
        {record.subject, dataset, record.id, record.record,
         std::span(log.documents).subspan(record.first_document, end - record.first_document)});
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (!requests_.empty())
    SOTTO_TRY(store_->charge(requests_, {unit_, privacy::limit_amount(options_.limit),
                                         std::chrono::duration_cast<std::chrono::seconds>(now)}));
  kept_.clear();
  std::size_t done = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].released) {
      counts += log.records[i].counts;
      continue;
    }
    ++counts.withheld;
    kept_.append(out.view().substr(done, log.records[i].output_begin - done));
    done = log.records[i].output_end;
  }
  if (done == 0) return {};
  kept_.append(out.view().substr(done));
  std::swap(out, kept_);
  return {};
}

std::string LedgerGate::fingerprint() const {
  return fmt::format("{} {} {}", base::to_hex(store_->id()), privacy::limit_amount(options_.limit),
                     options_.subject_field);
}

LedgerReceipt LedgerGate::receipt() const {
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
