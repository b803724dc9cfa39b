// Texts in memory: split into chunks like files, rewritten in parallel, returned in order.
#include <algorithm>

#include <sotto/privatizer.hpp>

#include "base/check.hpp"
#include "pipeline/batch_run.hpp"

namespace sotto {
using namespace pipeline;
namespace {

/// Where noise must not repeat, a record number that does must not make it.
random::DocumentId id_of(const DocumentName& name, std::uint64_t call, bool repeats) {
  if (!name.record) return {name.id, call};
  return {std::nullopt, repeats ? *name.record : call};
}

/// Counts each document in its element of `each`, or if that is empty, all of a chunk in its workspace.
template <class HandIn>
Result<void> privatize_batch(Privatizer::Impl& impl, std::span<const Document> documents,
                             std::span<std::string> outputs, const BatchOptions& batch,
                             std::span<Counts> each, const HandIn& hand_in) {
  SOTTO_CHECK(documents.size() == outputs.size());
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (auto noted = impl.note(documents[i].name); !noted)
      return at_place(batch, "document", i, noted.error());
  const std::uint64_t first_call = impl.calls.fetch_add(documents.size());
  const auto rewrite = [&](BatchWorkspace& space) -> Result<void> {
    space.out.clear();
    space.counts = {};
    space.rewriter->start(space.out, space.counts);
    SOTTO_ASSIGN(const auto streams, impl.context->locked_streams(documents[space.chunk.begin].name.dataset));
    for (std::size_t i = space.chunk.begin; i < space.chunk.end; ++i) {
      SOTTO_TRY(check_go_on(batch));
      if (!each.empty()) space.rewriter->count_into(each[i]);
      const DocumentName& name = documents[i].name;
      // The caller's memory may end where the text does; a copy has the padding that the rewriter reads.
      auto taken = space.rewriter->rewrite(*streams, id_of(name, first_call + i, impl.context->repeatable()),
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
  auto finished = run_batch(impl, documents, false, batch, rewrite, hand_in);
  if (!finished)
    for (std::string& output : outputs) output.clear();
  return finished;
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
  SOTTO_ASSIGN(const random::DocumentStreams streams, impl_->context->streams(name.dataset));
  SOTTO_TRY(rewriter->rewrite(streams, id_of(name, impl_->calls++, impl_->context->repeatable()), name.field,
                              text, Rewriter::Lifetime::call));
  SOTTO_TRY(rewriter->finish());
  counts += own;
  return std::string(out.view());
}

Result<void> Privatizer::privatize(std::span<const Document> documents, std::span<std::string> outputs,
                                   Counts& counts, const BatchOptions& batch) const {
  Counts done;
  const auto hand_in = [&](BatchWorkspace& space) -> Result<void> {
    done += space.counts;
    return {};
  };
  SOTTO_TRY(privatize_batch(*impl_, documents, outputs, batch, {}, hand_in));
  counts += done;
  return {};
}

Result<void> Privatizer::privatize(std::span<const Document> documents, std::span<std::string> outputs,
                                   std::span<Counts> counts, const BatchOptions& batch) const {
  SOTTO_CHECK(documents.size() == counts.size());
  std::fill(counts.begin(), counts.end(), Counts{});
  auto finished = privatize_batch(*impl_, documents, outputs, batch, counts,
                                  [](BatchWorkspace&) { return Result<void>(); });
  if (!finished) std::fill(counts.begin(), counts.end(), Counts{});
  return finished;
}

Receipt Privatizer::receipt(const Counts& counts) const {
  Receipt receipt = impl_->context->receipt(counts);
  receipt.format = kInMemory;
  return receipt;
}

}  // namespace sotto
