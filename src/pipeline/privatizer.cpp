#include <atomic>
#include <mutex>

#include <sotto/privatize.hpp>

#include "pipeline/rewriter.hpp"
#include "pipeline/unique_ids.hpp"

namespace sotto {

struct Privatizer::Impl {
  /// Notes the name of a document.
  Result<void> note(const DocumentName& name) {
    if (!names) return {};
    const IdHash hash = names->hash(name.dataset, name.id, name.field);
    const std::lock_guard lock(mutex);
    if (!names->insert(hash))
      return fail(Errc::invalid_argument, "a document with this name was there before");
    return {};
  }

  std::shared_ptr<const RewriteContext> context;
  std::atomic<std::uint64_t> calls = 0;  // joins the name where repeats get fresh noise
  std::mutex mutex;                      // for names
  std::optional<UniqueIds> names;        // when they must not repeat
};

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
  Rewriter rewriter(impl_->context);
  OutputBuffer padded;
  padded.append(text);
  OutputBuffer out;
  rewriter.start(out, counts);
  SOTTO_TRY(rewriter.rewrite(impl_->context->streams(name.dataset), {name.id, impl_->calls++}, name.field,
                             padded.view(), Rewriter::Lifetime::chunk));
  SOTTO_TRY(rewriter.finish());
  return std::string(out.view());
}

Receipt Privatizer::receipt() const {
  return impl_->context->receipt({});
}

}  // namespace sotto
