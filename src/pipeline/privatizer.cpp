// Texts in memory: split into chunks like files, rewritten in parallel, returned in order.
#include <fmt/format.h>

#include <sotto/privatizer.hpp>

#include "base/check.hpp"
#include "base/ordered_output.hpp"
#include "pipeline/privatizer_impl.hpp"

namespace sotto {
using namespace pipeline;
namespace {

// Terminates each text of a chunk. No text contains it: such input is refused.
constexpr std::string_view kEndOfText("\0", 1);

/// Removes the next text from the output of a chunk and returns it.
std::string_view take_text(std::string_view& output) {
  const std::string_view text = output.substr(0, output.find(kEndOfText));
  output.remove_prefix(text.size() + kEndOfText.size());
  return text;
}

std::size_t text_bytes(const Document& document) {
  return document.text.size();
}
std::size_t text_bytes(const Record& record) {
  std::size_t bytes = 0;
  for (const FieldText& field : record.fields) bytes += field.text.size();
  return bytes;
}
std::string_view dataset_of(const Document& document) {
  return document.name.dataset;
}
std::string_view dataset_of(const Record& record) {
  return record.dataset;
}

/// Documents or records that are rewritten together, all of the same data set.
struct BatchChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t bytes = 0;
};

/// Splits a batch into chunks.
template <class Item>
class Chunks {
 public:
  Chunks(std::span<const Item> items, std::size_t good_bytes) : items_(items), good_bytes_(good_bytes) {}

  bool next(BatchChunk& chunk) {
    chunk = {next_, next_, 0};
    while (next_ < items_.size() && chunk.bytes < good_bytes_ &&
           dataset_of(items_[next_]) == dataset_of(items_[chunk.begin]))
      chunk.bytes += text_bytes(items_[next_++]);
    chunk.end = next_;
    return chunk.begin < chunk.end;
  }

 private:
  std::span<const Item> items_;
  std::size_t good_bytes_;
  std::size_t next_ = 0;
};

/// The state of one thread.
struct Workspace {
  explicit Workspace(Privatizer::Impl& owner) : rewriter(owner) {}
  BorrowedRewriter rewriter;
  BatchChunk chunk;
  text::OutputBuffer out;
  Counts counts;
  std::optional<ReleaseLog> log;
};

/// Runs a batch: `rewrite` fills the workspace of a chunk, `hand_in` takes the results, chunk by chunk.
template <class Item, class Rewrite, class HandIn>
Result<void> run_batch(Privatizer::Impl& impl, std::span<const Item> items, bool with_ledger,
                       const BatchOptions& batch, const Rewrite& rewrite, const HandIn& hand_in) {
  std::uint64_t total = 0;
  for (const Item& item : items) total += text_bytes(item);
  const std::size_t good_bytes = impl.context->mechanism->chunk_bytes(with_ledger);
  Chunks<Item> chunks(items, good_bytes);
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(1 + total / good_bytes, 1U << 16));
  std::uint64_t done = 0;
  base::OrderedOutput order;
  return order.run(std::min(impl.context->mechanism->threads(batch.threads), most), [&] {
    Workspace space(impl);
    order.share([&]() -> Result<bool> { return chunks.next(space.chunk); }, [&] { return rewrite(space); },
                [&]() -> Result<void> {
                  SOTTO_TRY(hand_in(space));
                  done += space.chunk.bytes;
                  if (batch.progress && !batch.progress(done, total))
                    return fail(Errc::interrupted, "interrupted");
                  return {};
                });
  });
}

/// Progress is reported when a chunk is complete, which may take seconds.
Result<void> check_go_on(const BatchOptions& batch) {
  if (batch.go_on && !batch.go_on()) return fail(Errc::interrupted, "interrupted");
  return {};
}

tl::unexpected<Error> at_place(const BatchOptions& batch, std::string_view what, std::size_t place,
                               Error error) {
  if (error.code == Errc::interrupted) return tl::unexpected(std::move(error));
  const std::string name = batch.name_of ? batch.name_of(place) : fmt::format("{} {}", what, place + 1);
  error.message = fmt::format("{}: {}", Message::doubled_braces(name), error.message);
  return tl::unexpected(std::move(error));
}

/// Where noise must not repeat, a record number that does must not make it.
random::DocumentId id_of(const DocumentName& name, std::uint64_t call, bool repeats) {
  if (!name.record) return {name.id, call};
  return {std::nullopt, repeats ? *name.record : call};
}

}  // namespace

Result<void> Privatizer::Impl::note(const DocumentName& name) {
  if (!names || name.record) return {};  // record numbers do not repeat
  const IdHash hash = names->hash(name.dataset, name.id, name.field);
  const std::lock_guard lock(mutex);
  if (!names->insert(hash)) return fail(Errc::invalid_argument, "a document with this name occurred before");
  return {};
}

BorrowedRewriter::BorrowedRewriter(Privatizer::Impl& owner) : owner_(owner) {
  {
    const std::lock_guard lock(owner.mutex);
    if (!owner.idle.empty()) {
      rewriter_ = std::move(owner.idle.back());
      owner.idle.pop_back();
      return;
    }
  }
  rewriter_ = std::make_unique<Rewriter>(owner.context);
}

BorrowedRewriter::~BorrowedRewriter() {
  const std::lock_guard lock(owner_.mutex);
  owner_.idle.push_back(std::move(rewriter_));
}

LedgerSession::LedgerSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LedgerSession::~LedgerSession() = default;

LedgerReceipt LedgerSession::receipt() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->gate->receipt();
}

Privatizer::Privatizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Privatizer::~Privatizer() = default;

Result<std::unique_ptr<Privatizer>> Privatizer::make(const PrivatizeOptions& options) {
  auto impl = std::make_unique<Impl>();
  SOTTO_ASSIGN(impl->context, RewriteContext::make(options));
  if (options.unique_ids) impl->names.emplace(impl->context->subkey("unique ids"));
  return std::unique_ptr<Privatizer>(new Privatizer(std::move(impl)));
}

Result<std::string> Privatizer::privatize(const DocumentName& name, std::string_view text,
                                          Counts& counts) const {
  SOTTO_TRY(impl_->note(name));
  const BorrowedRewriter rewriter(*impl_);
  Counts own;
  text::OutputBuffer out;
  rewriter->start(out, own);
  SOTTO_TRY(rewriter->rewrite(impl_->context->streams(name.dataset),
                              id_of(name, impl_->calls++, impl_->context->repeatable()), name.field, text,
                              Rewriter::Lifetime::call));
  SOTTO_TRY(rewriter->finish());
  counts += own;
  return std::string(out.view());
}

Result<void> Privatizer::privatize(std::span<const Document> documents, std::span<std::string> outputs,
                                   Counts& counts, const BatchOptions& batch) const {
  SOTTO_CHECK(documents.size() == outputs.size());
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (auto noted = impl_->note(documents[i].name); !noted)
      return at_place(batch, "document", i, noted.error());
  const std::uint64_t first_call = impl_->calls.fetch_add(documents.size());
  Counts done;
  const auto rewrite = [&](Workspace& space) -> Result<void> {
    space.out.clear();
    space.counts = {};
    space.rewriter->start(space.out, space.counts);
    const random::LockedVector<random::DocumentStreams> streams{
        impl_->context->streams(documents[space.chunk.begin].name.dataset)};
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
      SOTTO_TRY(check_go_on(batch));
      const DocumentName& name = documents[i].name;
      // The caller's memory may end where the text does; a copy has the padding that the rewriter reads.
      auto taken =
          space.rewriter->rewrite(streams[0], id_of(name, first_call + i, impl_->context->repeatable()),
                                  name.field, documents[i].text, Rewriter::Lifetime::call);
      if (!taken) return at_place(batch, "document", i, std::move(taken.error()));
      space.rewriter->copy(kEndOfText);
    }
    SOTTO_TRY(space.rewriter->finish());
    // Here and not in hand_in, where other threads wait for their turn.
    std::string_view rest = space.out.view();
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) outputs[i] = take_text(rest);
    return {};
  };
  const auto hand_in = [&](Workspace& space) -> Result<void> {
    done += space.counts;
    return {};
  };
  auto finished = run_batch(*impl_, documents, false, batch, rewrite, hand_in);
  if (!finished) {
    for (std::string& output : outputs) output.clear();
    return finished;
  }
  counts += done;
  return {};
}

Result<std::unique_ptr<LedgerSession>> Privatizer::open_ledger(const LedgerOptions& options) const {
  SOTTO_TRY(check_ledger_options(impl_->context->options, options));
  auto session = std::make_unique<LedgerSession::Impl>();
  SOTTO_ASSIGN(session->gate, LedgerGate::open(options, *impl_->context));
  return std::unique_ptr<LedgerSession>(new LedgerSession(std::move(session)));
}

Result<void> Privatizer::privatize(std::span<const Record> records, LedgerSession& ledger,
                                   std::span<ReleasedRecord> outputs, Counts& counts,
                                   const BatchOptions& batch) const {
  SOTTO_CHECK(records.size() == outputs.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    outputs[i] = {};
    for (const FieldText& field : records[i].fields)
      if (auto noted = impl_->note({records[i].dataset, records[i].id, field.field}); !noted)
        return at_place(batch, "record", i, noted.error());
  }
  const auto rewrite = [&](Workspace& space) -> Result<void> {
    space.out.clear();
    space.counts = {};
    if (!space.log) space.log = ledger.impl_->gate->make_log();
    space.log->clear();
    space.rewriter->start(space.out, space.counts, &*space.log);
    const random::LockedVector<random::DocumentStreams> streams{
        impl_->context->streams(records[space.chunk.begin].dataset)};
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
      SOTTO_TRY(check_go_on(batch));
      const random::DocumentId id{records[i].id, 0};
      space.rewriter->begin_record(records[i].subject, id);
      for (const FieldText& field : records[i].fields) {
        auto taken =
            space.rewriter->rewrite(streams[0], id, field.field, field.text, Rewriter::Lifetime::call);
        if (!taken) return at_place(batch, "record", i, std::move(taken.error()));
        space.rewriter->copy(kEndOfText);
      }
      space.rewriter->end_record();
    }
    return space.rewriter->finish();
  };
  const auto hand_in = [&](Workspace& space) -> Result<void> {
    const std::lock_guard lock(ledger.impl_->mutex);
    LedgerGate& gate = *ledger.impl_->gate;
    gate.while_waiting(batch.go_on);
    SOTTO_TRY(gate.settle(*space.log, records[space.chunk.begin].dataset, space.out, space.counts));
    counts += space.counts;
    std::string_view rest = space.out.view();
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
      outputs[i].released = gate.released(i - space.chunk.begin);
      if (!outputs[i].released) continue;
      for (std::size_t field = 0; field < records[i].fields.size(); ++field)
        outputs[i].texts.emplace_back(take_text(rest));
    }
    return {};
  };
  return run_batch(*impl_, records, true, batch, rewrite, hand_in);
}

Receipt Privatizer::receipt(const Counts& counts) const {
  Receipt receipt = impl_->context->receipt(counts);
  receipt.format = kInMemory;
  return receipt;
}

}  // namespace sotto
