// Records in memory: rewritten and charged here, or rewritten here and charged where the ledger is.
#include <sotto/privatizer.hpp>

#include "base/check.hpp"
#include "pipeline/batch_run.hpp"

namespace sotto {
using namespace pipeline;
namespace {

Result<void> note_records(Privatizer::Impl& impl, std::span<const Record> records,
                          const BatchOptions& batch) {
  for (std::size_t i = 0; i < records.size(); ++i)
    for (const FieldText& field : records[i].fields)
      if (auto noted = impl.note({records[i].dataset, records[i].id, field.field}); !noted)
        return at_place(batch, "record", i, noted.error());
  return {};
}

/// Rewrites the records of a chunk, lists them in the workspace's log, and passes their texts on: take(i,
/// text) for each field of record i.
template <class Take>
Result<void> rewrite_records(const Privatizer::Impl& impl, const Charging& charging,
                             std::span<const Record> records, const BatchOptions& batch,
                             BatchWorkspace& space, const Take& take) {
  space.out.clear();
  space.counts = {};
  if (!space.log) space.log.emplace(charging.epsilon);
  space.log->clear();
  space.rewriter->start(space.out, space.counts, &*space.log);
  SOTTO_ASSIGN(const auto streams, impl.context->locked_streams(records[space.chunk.begin].dataset));
  for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
    SOTTO_TRY(check_go_on(batch));
    const random::DocumentId id{records[i].id, 0};
    space.rewriter->begin_record(records[i].subject, id);
    for (const FieldText& field : records[i].fields) {
      auto taken = space.rewriter->rewrite(*streams, id, field.field, field.text, Rewriter::Lifetime::call);
      if (!taken) return at_place(batch, "record", i, std::move(taken.error()));
      space.rewriter->copy(kEndOfText);
    }
    space.rewriter->end_record();
  }
  SOTTO_TRY(space.rewriter->finish());
  std::string_view rest = space.out.view();
  for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i)
    for (std::size_t field = 0; field < records[i].fields.size(); ++field) take(i, take_text(rest));
  return {};
}

LedgerClaim claim_of(const Record& record, const std::string& unit,
                     std::span<const privacy::LedgerDocument> documents,
                     std::span<const privacy::DocumentNameTag> names) {
  LedgerClaim claim{
      std::string(record.dataset), std::string(record.id), std::string(record.subject), unit, {},
      {names.begin(), names.end()}};
  claim.documents.reserve(documents.size());
  for (const privacy::LedgerDocument& document : documents)
    claim.documents.push_back({document.tag, document.mac, document.amount});
  return claim;
}

}  // namespace

Result<const Charging*> Privatizer::Impl::charging() {
  SOTTO_TRY(check_chargeable(context->options));
  const std::lock_guard lock(mutex);
  if (!price) {
    SOTTO_ASSIGN(price, charging_of(*context));
  }
  return &*price;
}

Result<std::unique_ptr<LedgerSession>> Privatizer::open_ledger(const LedgerOptions& options) const {
  SOTTO_TRY(check_ledger_options(options));
  SOTTO_ASSIGN(const Charging* const charging, impl_->charging());
  return LedgerSession::open(options, charging->unit);
}

Result<void> Privatizer::privatize(std::span<const Record> records, LedgerSession& ledger,
                                   std::span<ReleasedRecord> outputs, Counts& counts,
                                   const BatchOptions& batch) const {
  SOTTO_CHECK(records.size() == outputs.size());
  for (ReleasedRecord& output : outputs) output = {};
  SOTTO_ASSIGN(const Charging* const charging, impl_->charging());
  SOTTO_TRY(note_records(*impl_, records, batch));
  const auto rewrite = [&](BatchWorkspace& space) {
    return rewrite_records(
        *impl_, *charging, records, batch, space,
        [&](std::size_t i, std::string_view text) { outputs[i].texts.emplace_back(text); });
  };
  const auto hand_in = [&](BatchWorkspace& space) -> Result<void> {
    SOTTO_ASSIGN(std::vector<privacy::LedgerRequest> requests,
                 requests_of(*space.log, records[space.chunk.begin].dataset));
    {
      const std::lock_guard lock(ledger.impl_->mutex);
      Settlement& settlement = *ledger.impl_->settlement;
      settlement.while_waiting(batch.go_on);
      const auto settled = settlement.settle(requests, charging->unit);
      settlement.while_waiting({});  // the batch ends before the session does
      SOTTO_TRY(settled);
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      ReleasedRecord& output = outputs[space.chunk.begin + i];
      output.settled = requests[i].settled;
      count(output.settled, space.log->records[i].counts, counts);
    }
    return {};
  };
  auto finished = run_batch(*impl_, records, true, batch, rewrite, hand_in);
  for (ReleasedRecord& output : outputs)
    if (!output.is_released()) output.texts.clear();
  return finished;
}

Result<void> Privatizer::rewrite(std::span<const Record> records, std::span<UnsettledRecord> outputs,
                                 const BatchOptions& batch) const {
  SOTTO_CHECK(records.size() == outputs.size());
  for (UnsettledRecord& output : outputs) output = {};
  SOTTO_ASSIGN(const Charging* const charging, impl_->charging());
  SOTTO_TRY(note_records(*impl_, records, batch));
  const auto rewrite = [&](BatchWorkspace& space) -> Result<void> {
    SOTTO_TRY(
        rewrite_records(*impl_, *charging, records, batch, space,
                        [&](std::size_t i, std::string_view text) { outputs[i].texts.emplace_back(text); }));
    SOTTO_TRY(check_complete(*space.log));
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
      const std::size_t logged = i - space.chunk.begin;
      outputs[i].claim =
          claim_of(records[i], charging->unit, space.log->documents_of(logged), space.log->names_of(logged));
      outputs[i].counts = space.log->records[logged].counts;
    }
    return {};
  };
  auto finished =
      run_batch(*impl_, records, true, batch, rewrite, [](BatchWorkspace&) { return Result<void>(); });
  if (!finished)
    for (UnsettledRecord& output : outputs) output = {};
  return finished;
}

}  // namespace sotto
