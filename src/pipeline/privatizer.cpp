#include <sotto/privatize.hpp>

#include "pipeline/rewriter.hpp"

namespace sotto {

struct Privatizer::Impl {
  std::shared_ptr<const RewriteContext> context;
};

Privatizer::Privatizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Privatizer::~Privatizer() = default;

Result<std::unique_ptr<Privatizer>> Privatizer::make(const PrivatizeOptions& options) {
  auto impl = std::make_unique<Impl>();
  SOTTO_ASSIGN(impl->context, RewriteContext::make(options));
  return std::unique_ptr<Privatizer>(new Privatizer(std::move(impl)));
}

Result<std::string> Privatizer::privatize(const DocumentName& name, std::string_view text,
                                          Counts& counts) const {
  Rewriter rewriter(impl_->context);
  OutputBuffer padded;
  padded.append(text);
  OutputBuffer out;
  rewriter.start(out, counts);
  SOTTO_TRY(rewriter.rewrite(impl_->context->streams(name.dataset), {name.id, 0}, name.field, padded.view(),
                             Rewriter::Lifetime::chunk));
  SOTTO_TRY(rewriter.finish());
  return std::string(out.view());
}

Receipt Privatizer::receipt() const {
  return impl_->context->receipt({});
}

}  // namespace sotto
